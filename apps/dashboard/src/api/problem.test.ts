import { GleanerError } from '@gleaner/client';
import { ERRORS } from '@gleaner/contracts/errors';
import { expect, it } from 'vitest';
import { faultAt, isShownAt, toProblem } from './problem.ts';

function refusal(field: string | undefined, detail: string): GleanerError {
  return new GleanerError({ status: 400, code: 'invalid_request', field, detail });
}

it('gives each field the reason of its refusal, with the line', () => {
  const error = refusal(
    'start[0]',
    'start[0]: must start with http; crawl.exclude[2]: must start with / (a path), as /a: b; c does; limits: is odd',
  );
  expect(faultAt(error, 'start')).toBe('line 1: must start with http');
  expect(faultAt(error, 'crawl.exclude')).toBe('line 3: must start with / (a path), as /a: b; c does');
  expect(faultAt(error, 'crawl.include')).toBeUndefined();
  expect(faultAt(error, 'limits')).toBe('is odd');
  expect(isShownAt(error, ['start', 'crawl', 'limits'])).toBe(true);
  expect(isShownAt(error, ['start', 'crawl'])).toBe(false);
});

it('leaves what names no field to the page', () => {
  const error = refusal(undefined, 'the account has too few credits');
  expect(faultAt(error, 'start')).toBeUndefined();
  expect(isShownAt(error, ['start'])).toBe(false);
  expect(isShownAt(null, ['start'])).toBe(false);
  expect(faultAt(refusal('limits.pages', 'is too high'), 'limits.pages')).toBe('is too high');
});

it('says of what is not there why, without a word on keys, which pages don’t send', () => {
  const hint = 'Check the identifier, and that the API key belongs to the account that owns it.';
  const { body, status } = toProblem(new GleanerError({ status: 404, code: 'not found', hint }));
  expect(status).toBe(404);
  expect(body.error).toBe('not found');
  expect(body.hint).toBe('It may have been deleted, or it belongs to another account.');
});

it('says in words that the service made a mistake', () => {
  const { body } = toProblem(new GleanerError({ status: 500, code: 'internal error', hint: 'Try again.' }));
  expect(body).toMatchObject({ error: 'Gleaner made a mistake', hint: expect.stringMatching(/operator/) });
});

it('says of a key or a link that does not work what a person can do', () => {
  const key = { status: 401, code: 'invalid or inactive api_key', hint: 'Send it in the X-API-Key header.' };
  const { body } = toProblem(new GleanerError(key));
  expect(body.error).toBe('not signed in');
  expect(body.hint).toMatch(/^The key may be mistyped or revoked/);
  const link = { ...key, detail: 'this link was already used', hint: 'Sign in with an API key.' };
  expect(toProblem(new GleanerError(link)).body).toMatchObject({ detail: link.detail, hint: link.hint });
});

it('leaves out the hint that the service gives to programs with each refused field', () => {
  const { hint } = ERRORS.invalid_request;
  const refused = { status: 400, code: 'invalid request', field: 'name', detail: 'is too long', hint };
  expect(hint).toBeTruthy();
  expect(toProblem(new GleanerError(refused)).body).toMatchObject({ detail: 'is too long', hint: undefined });
});
