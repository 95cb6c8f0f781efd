import type { TaskOutcome } from '@gleaner/core';
import { PageLostError } from '@gleaner/extractors/pool';
import { expect, it } from 'vitest';
import { attemptTask } from './attempt-task.ts';

const RUN = { signal: new AbortController().signal } as Parameters<typeof attemptTask>[1];
const DONE = { ok: true, answer: '{}' } as TaskOutcome;

/** Attempts work that loses its page so many times. */
async function attempt(
  losses: number,
  cause?: Error,
): Promise<{ outcome: TaskOutcome; tries: number; faults: number }> {
  let tries = 0;
  let faults = 0;
  const outcome = await attemptTask({ onInternalError: () => (faults += 1) }, RUN, async () => {
    tries += 1;
    if (tries <= losses) throw new PageLostError('lost', { cause });
    return { ...DONE };
  });
  return { outcome, tries, faults };
}

it('fetches a page again that was lost with the thread of another', async () => {
  expect(await attempt(2)).toMatchObject({ outcome: { ok: true }, tries: 3, faults: 0 });
  expect(await attempt(3)).toMatchObject({ outcome: { error: { code: 'internal' } }, tries: 3, faults: 1 });
});

it('fetches a page again whose thread ended, and then says why it did', async () => {
  const cause = new Error('extraction needed more than 512 MB of memory and was stopped');
  expect(await attempt(1, cause)).toMatchObject({ outcome: { ok: true }, tries: 2 });
  expect(await attempt(2, cause)).toMatchObject({
    outcome: { error: { code: 'extraction_failed', detail: cause.message } },
    tries: 2,
    faults: 0,
  });
});
