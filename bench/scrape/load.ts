import { Pool } from 'undici';
import { closedLoop } from '../load/closed-loop.ts';
import { percentile, rounded } from '../load/statistics.ts';

/** Who asks: every client uses the next one in turn. */
export interface Caller {
  path: string;
  key: string;
}

export interface Load {
  clients: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers that were not 200. */
  failures: number;
  /** CPU of all processes behind the address, in ms an answer. */
  cpuMs: number;
}

/** Clients that ask one after another for a while. */
export async function measureLoad(
  origin: string,
  callers: readonly Caller[],
  options: { clients: number; seconds: number; cpu: () => number },
): Promise<Load> {
  const { clients, seconds } = options;
  const pool = new Pool(origin, { connections: clients });
  const ask = async (index: number): Promise<void> => {
    const caller = callers[index % callers.length];
    if (!caller) throw new Error('no caller');
    const { statusCode, body } = await pool.request({
      path: caller.path,
      method: 'GET',
      headers: { 'x-api-key': caller.key },
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${statusCode}: ${text}`);
  };
  await closedLoop({ clients, withinMs: 1_000 }, ask);
  const before = options.cpu();
  const { timesMs, failures, perSecond } = await closedLoop({ clients, withinMs: seconds * 1_000 }, ask);
  const cpuMs = (options.cpu() - before) / timesMs.length;
  await pool.close();
  return {
    clients,
    perSecond: Math.round(perSecond),
    p50Ms: rounded(percentile(timesMs, 0.5), 2),
    p99Ms: rounded(percentile(timesMs, 0.99), 2),
    failures,
    cpuMs: rounded(cpuMs, 2),
  };
}
