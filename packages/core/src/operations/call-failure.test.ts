import { AppError } from '@gleaner/contracts';
import { expect, test } from 'vitest';
import { createLogger } from '../platform/log/log.ts';
import { isUnavailable, toCallFailure } from './call-failure.ts';

const call = { log: createLogger('test', 'silent'), requestId: 'req_test' };

test.each([
  ['an error of the catalogue', new AppError('not_found'), 'not_found'],
  [
    'a database that closes the connection',
    Object.assign(new Error('read'), { code: 'ECONNRESET' }),
    'temporarily_unavailable',
  ],
  [
    'a query that fails because the database has no free connections',
    new Error('query', { cause: Object.assign(new Error('full'), { code: '53300' }) }),
    'temporarily_unavailable',
  ],
  ['a limit of time', new DOMException('over', 'TimeoutError'), 'temporarily_unavailable'],
  ['any other error', new TypeError('broken'), 'internal'],
  ['a thrown text', 'broken', 'internal'],
])('%s has its line of the catalogue', (_name, error, code) => {
  expect(toCallFailure(error, call).code).toBe(code);
});

test.each(['25006', '25P04', '40001', '40P01', '55P03', '57014', '57P01'])(
  'Postgres’s error %s is worth another try',
  (code) => {
    const error = Object.assign(new Error('refused'), { code });
    expect(toCallFailure(error, call).code).toBe('temporarily_unavailable');
  },
);

test('a statement that took too long counts as a try', () => {
  expect(isUnavailable(Object.assign(new Error('canceled'), { code: '57014' }))).toBe(false);
});
