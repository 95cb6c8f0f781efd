import { AppError } from '@gleaner/contracts';
import { expect, it } from 'vitest';
import { describeError } from './describe-error.ts';
import { Fault } from './fault.ts';

it.each([
  ['schedule: has 4 fields', 'invalid request: schedule: has 4 fields'],
  ['has 4 fields', 'invalid request: schedule: has 4 fields'],
  ['schedules have five fields', 'invalid request: schedule: schedules have five fields'],
])('names the field once: %s', async (detail, text) => {
  const error = new AppError('invalid_request', { field: 'schedule', detail, hint: 'Correct it.' });
  expect(await describeError(error)).toEqual({ text: `${text}\n  → Correct it.`, code: 1 });
});

it('a mistake has its remedy apart, for programs', async () => {
  expect(await describeError(new Fault('A job has one input.', 'Submit a batch.'))).toEqual({
    text: 'A job has one input.\n  → Submit a batch.',
    code: 1,
    body: { error: 'A job has one input.', hint: 'Submit a batch.' },
  });
});
