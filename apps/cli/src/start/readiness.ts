import { setTimeout as sleep } from 'node:timers/promises';

export interface Readiness {
  isReady: boolean;
  /** Why the service is not ready, from its response. */
  reason: string;
}

/** Requests a probe once. */
export async function checkReadiness(baseUrl: string, probe = '/readyz'): Promise<Readiness> {
  try {
    const answer = await fetch(`${baseUrl}${probe}`, { signal: AbortSignal.timeout(5000) });
    const body = (await answer.text()).slice(0, 500);
    return { isReady: answer.ok, reason: `${probe} answers ${answer.status} ${body}` };
  } catch (error) {
    const cause =
      error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    return { isReady: false, reason: `${probe} does not answer (${cause})` };
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
    const { isReady, reason } = await checkReadiness(baseUrl, probe);
    if (isReady) return;
    if (Date.now() - reportedAt > 20_000) {
      reportedAt = Date.now();
      onDelay(reason);
    }
    await sleep(100);
  }
}
