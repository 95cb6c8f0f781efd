import { Fault } from '../fault.ts';
import { reachPort, reasonOf } from '../reach-port.ts';

const TIMEOUT_MS = 3000;

/** Checks that REDIS_URL accepts connections, before each process fails on it separately. */
export async function checkRedis(redisUrl: string): Promise<void> {
  const { hostname, port: given } = new URL(redisUrl);
  const port = given === '' ? 6379 : Number(given);
  try {
    await reachPort({ host: hostname.replace(/^\[(.*)\]$/, '$1'), port }, TIMEOUT_MS);
  } catch (error) {
    throw new Fault(
      `The Redis at ${hostname}:${port} (REDIS_URL) can't be reached: ${reasonOf(error)}.`,
      'Start it, correct REDIS_URL, or unset it: without Redis, Postgres holds the queues.',
    );
  }
}
