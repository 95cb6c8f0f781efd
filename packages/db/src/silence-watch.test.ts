import { expect, it, vi } from 'vitest';
import { createSilenceWatch } from './silence-watch.ts';

function never(): Promise<never> {
  return new Promise(() => undefined);
}
function refusal(code: string): Promise<never> {
  return Promise.reject(Object.assign(new Error(code), { code }));
}

/** @returns how often the server was asked apart until it was given up, or until `answered` */
async function watch(ask: () => Promise<unknown>, probe: () => Promise<unknown>) {
  let probes = 0;
  const ended = Promise.withResolvers<'ended'>();
  const { noteSent, noteAnswer } = createSilenceWatch({
    ask,
    probe: () => {
      probes += 1;
      return probe();
    },
    end: () => ended.resolve('ended'),
    patienceMs: 10,
  });
  noteSent();
  noteSent();
  return { probes: () => probes, ended: ended.promise, noteAnswer };
}

it('a server that answers nowhere is given up', async () => {
  const { ended, probes } = await watch(never, never);
  expect(await ended).toBe('ended');
  expect(probes()).toBe(1);
});

it('long statements on all connections, and refusals, are no silence', async () => {
  const busy = Promise.withResolvers<void>();
  const long = await watch(
    () => busy.promise,
    () => Promise.resolve(),
  );
  await expect.poll(() => long.probes()).toBeGreaterThan(2);
  busy.resolve();
  const refused = await watch(() => refusal('53300'), never);
  const probes = long.probes();
  expect(
    await Promise.race([
      long.ended,
      refused.ended,
      new Promise((resolve) => setTimeout(resolve, 100, 'open')),
    ]),
  ).toBe('open');
  expect(long.probes()).toBeLessThanOrEqual(probes + 1);
  expect(refused.probes()).toBe(0);
});

it('asks nothing while statements are answered', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    let asked = 0;
    const { noteAnswer } = await watch(() => {
      asked += 1;
      return never();
    }, never);
    for (let round = 0; round < 3; round += 1) {
      noteAnswer();
      await vi.advanceTimersByTimeAsync(6);
      expect(asked).toBe(0);
    }
    await vi.advanceTimersByTimeAsync(6);
    expect(asked).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});
