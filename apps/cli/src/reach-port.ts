import { connect } from 'node:net';
import { Fault } from './fault.ts';

/** Opens one TCP connection and ends it. @throws Error when it is refused, or not open in time */
export function reachPort(address: { host: string; port: number }, withinMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...address, timeout: withinMs });
    const end = (error?: Error): void => {
      socket.destroy();
      if (error === undefined) resolve();
      else reject(error);
    };
    socket.once('connect', () => end());
    socket.once('timeout', () => end(new Error(`no answer within ${withinMs / 1000} s`)));
    socket.once('error', end);
  });
}

/** Why it was not reached, in a word where the system has one. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message;
}

const REDIS_MS = 3000;

/** Checks that REDIS_URL accepts connections, before each process fails on it separately. */
export async function checkRedis(redisUrl: string): Promise<void> {
  const { hostname, port: given } = new URL(redisUrl);
  const port = given === '' ? 6379 : Number(given);
  try {
    await reachPort({ host: hostname.replace(/^\[(.*)\]$/, '$1'), port }, REDIS_MS);
  } catch (error) {
    throw new Fault(
      `The Redis at ${hostname}:${port} (REDIS_URL) can't be reached: ${reasonOf(error)}.`,
      'Start it, correct REDIS_URL, or unset it: without Redis, Postgres holds the queues.',
    );
  }
}
