import { AppError } from '@gleaner/contracts';

const MOST_CHARACTERS = 200;

/**
 * A name of an account or key, without blanks around it: it is shown in lists, one line each.
 * @throws AppError invalid_request
 */
export function requireName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > MOST_CHARACTERS || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) {
    throw new AppError('invalid_request', {
      field: 'name',
      detail: `must have 1 to ${MOST_CHARACTERS} characters, without line feeds and control characters`,
    });
  }
  return name;
}
