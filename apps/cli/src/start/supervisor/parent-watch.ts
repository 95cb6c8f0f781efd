/**
 * Loaded into every process that the supervisor starts. When the supervisor ends, even by `kill -9`, the IPC channel
 * closes. The process then sends itself SIGTERM, and SIGKILL after 8 s.
 */
const DEADLINE_MS = 8000;

function end(): void {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), DEADLINE_MS).unref();
}

// The supervisor may have ended while this process was starting.
if (process.connected) process.once('disconnect', end);
else end();
// An open channel must not keep a finished process alive.
process.channel?.unref();
