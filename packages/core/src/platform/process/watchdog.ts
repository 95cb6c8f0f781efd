import inspector from 'node:inspector';
import { Worker } from 'node:worker_threads';

/** The thread's code: the source beside this file, or the bundled file beside the bundle. */
const IS_SOURCE = import.meta.url.endsWith('.ts');
const THREAD = new URL(IS_SOURCE ? 'watchdog.thread.ts' : 'watchdog.js', import.meta.url);

const TICK_MS = 500;
/** Ticks without a sign of life after which the process hangs: half a minute. */
const SILENT_TICKS = 60;

export interface WatchdogSettings {
  /** Name of the process in the line that it logs. */
  name: string;
  silentTicks: number;
  tickMs: number;
  /** At 0 the ticks of the main loop; at 1 whether a debugger may hold it. */
  shared: Int32Array;
}

/**
 * Kills this process when its main loop hangs: a thread counts its own ticks without one of the main loop. It counts
 * ticks and not time, so that neither SIGSTOP nor a sleeping machine ends the process; while a debugger is open, it
 * counts none. The supervisor, container or service manager starts the process again.
 */
export function watchMainLoop({
  name,
  silentTicks = SILENT_TICKS,
  tickMs = TICK_MS,
}: Pick<WatchdogSettings, 'name'> & Partial<WatchdogSettings>): void {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  setInterval(() => {
    Atomics.add(shared, 0, 1);
    Atomics.store(shared, 1, inspector.url() === undefined ? 0 : 1);
  }, tickMs).unref();
  const settings: WatchdogSettings = { name, silentTicks, tickMs, shared };
  new Worker(THREAD, {
    workerData: settings,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
  }).unref();
}
