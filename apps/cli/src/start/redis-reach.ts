import { connect } from 'node:net';
import { Fault } from '../fault.ts';

const TIMEOUT_MS = 3000;

/** Checks that REDIS_URL accepts connections, before each process fails on it separately. */
export function checkRedis(redisUrl: string): Promise<void> {
  const { hostname, port } = new URL(redisUrl);
  const address = { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? 6379 : Number(port) };
  return new Promise((resolve, reject) => {
    const socket = connect({ ...address, timeout: TIMEOUT_MS });
    const refuse = (reason: string): void => {
      socket.destroy();
      reject(
        new Fault(
          `The Redis at ${hostname}:${address.port} (REDIS_URL) can't be reached: ${reason}.`,
          'Start it, correct REDIS_URL, or unset it: without Redis, Postgres holds the queues.',
        ),
      );
    };
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => refuse(`no answer within ${TIMEOUT_MS / 1000} s`));
    socket.once('error', (error: NodeJS.ErrnoException) => refuse(error.code ?? error.message));
  });
}
