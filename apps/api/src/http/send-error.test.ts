import { expect, test } from 'vitest';
import { toAppError } from './send-error.ts';

test('a body that the client broke off is its own fault, a database that breaks off is ours', () => {
  const reset = (message: string, more: object): Error =>
    Object.assign(new Error(message), { code: 'ECONNRESET', ...more });
  expect(toAppError(reset('aborted', { statusCode: 400 }))).toMatchObject({ code: 'invalid_request' });
  expect(toAppError(reset('read ECONNRESET', {}))).toMatchObject({ code: 'temporarily_unavailable' });
});
