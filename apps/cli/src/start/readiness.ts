import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** Gets `url` by node:http: `fetch` would compile a parser that takes 10 MB for as long as this process runs. */
function ask(url: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    get(url, { signal: AbortSignal.timeout(5000) }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    }).on('error', reject);
  });
}

/** Why a probe of the service fails; undefined when it succeeds. */
async function faultOf(url: string, probe: string): Promise<string | undefined> {
  try {
    const { status, body } = await ask(url);
    return status === 200 ? undefined : `${probe} answers ${status} ${body.slice(0, 500)}`;
  } catch (error) {
    return `${probe} does not answer (${error instanceof Error ? error.message : String(error)})`;
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
