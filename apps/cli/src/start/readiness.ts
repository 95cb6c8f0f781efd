import { setTimeout as sleep } from 'node:timers/promises';

/** Why a probe of the service fails; undefined when it succeeds. */
async function faultOf(url: string, probe: string): Promise<string | undefined> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(5000) });
    const body = (await answer.text()).slice(0, 500);
    return answer.ok ? undefined : `${probe} answers ${answer.status} ${body}`;
  } catch (error) {
    const cause =
      error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    return `${probe} does not answer (${cause})`;
  }
}

/** Waits until a probe of the service succeeds. Calls `onDelay` with the reason every 20 s. */
export async function becomesReady(
  { baseUrl, probe }: { baseUrl: string; probe: '/readyz' | '/healthz' },
  signal: AbortSignal,
  onDelay: (reason: string) => void,
): Promise<void> {
  let reportedAt = Date.now();
  while (!signal.aborted) {
    const fault = await faultOf(`${baseUrl}${probe}`, probe);
    if (fault === undefined) return;
    if (Date.now() - reportedAt > 20_000) {
      reportedAt = Date.now();
      onDelay(fault);
    }
    await sleep(100);
  }
}
