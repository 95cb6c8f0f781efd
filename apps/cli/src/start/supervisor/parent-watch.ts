/**
 * Loaded before every process that the supervisor starts. When the supervisor is gone, also by `kill -9`, its
 * channel closes: the process then ends itself as if told to, and for good after 8 s.
 */
const DEADLINE_MS = 8000;

function end(): void {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), DEADLINE_MS).unref();
}

// The supervisor may have died while this process was still starting.
if (process.connected) process.once('disconnect', end);
else end();
// Waiting for the supervisor's end must not keep a process alive that has nothing else to do.
process.channel?.unref();
