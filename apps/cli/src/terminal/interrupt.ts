import { EXIT, ExitCode } from '../exit-codes.ts';
import { note } from './output.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Does work that Ctrl-C or SIGTERM aborts. npm and scripts/run.mjs pass the terminal's signal on, so it arrives up to
 * three times, the last perhaps when the work has ended: once aborted, the process takes signals until it exits.
 * @param remark what a person reads then
 * @throws ExitCode 130 when it was aborted
 */
export async function untilInterrupted<T>(
  remark: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    return await work(stopping.signal);
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    note(remark);
    throw new ExitCode(EXIT.interrupted);
  } finally {
    if (!stopping.signal.aborted) for (const signal of SIGNALS) process.off(signal, stop);
  }
}
