import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { WatchdogSettings } from './watchdog.ts';

function end({ name, silentTicks, tickMs }: WatchdogSettings): void {
  const line = JSON.stringify({
    level: 60,
    time: new Date().toISOString(),
    process: name,
    reason: `no sign of life of the main loop for ${silentTicks} ticks of ${tickMs} ms`,
    msg: 'the process hangs; ending it',
  });
  try {
    writeSync(1, `${line}\n`);
  } finally {
    // In a thread, process.exit ends only the thread.
    process.kill(process.pid, 'SIGKILL');
  }
}

function watch(settings: WatchdogSettings): void {
  const { shared, silentTicks, tickMs } = settings;
  let seen = 0;
  let silent = 0;
  setInterval(() => {
    const ticks = Atomics.load(shared, 0);
    silent = ticks !== seen || Atomics.load(shared, 1) === 1 ? 0 : silent + 1;
    seen = ticks;
    if (silent >= silentTicks) end(settings);
  }, tickMs);
}

watch(workerData as WatchdogSettings);
