import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below what Linux (32768), Windows and macOS (49152) give to outgoing connections: one of those could take the port of
 * a server while the server restarts.
 */
const FIRST = 20_000;
const LAST = 32_000;
const ATTEMPTS = 100;

/** A port of the loopback that no server listens on, and that no outgoing connection will take. */
export async function freePort(): Promise<number> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const port = randomInt(FIRST, LAST);
    if (await isFree(port)) return port;
  }
  throw new Error(`${ATTEMPTS} ports between ${FIRST} and ${LAST} were tried, and none was free`);
}

/** Whether a server could listen on the port of the loopback. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
