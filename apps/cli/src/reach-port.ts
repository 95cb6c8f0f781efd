import { connect } from 'node:net';

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
