import { AppError } from '@gleaner/contracts';

/** The error that a part of the request is wrong: which one, why, and what to do about it. */
export function invalid(field: string, detail: string, hint?: string): AppError {
  return new AppError('invalid_request', { field, detail, hint });
}
