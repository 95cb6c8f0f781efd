import { AppError } from '@gleaner/contracts';

const MOST_CHARACTERS = 200;

/**
 * Checks and trims the name of an account or key. Lists show each name on one line.
 * @throws AppError invalid_request
 */
export function requireName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > MOST_CHARACTERS || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) {
    throw new AppError('invalid_request', {
      field: 'name',
      detail: `must have 1 to ${MOST_CHARACTERS} characters, without line breaks and control characters`,
    });
  }
  return name;
}
