import type { Command } from 'commander';

/** A second signal within this time is npm's copy of the first. A later one stops the process at once. */
const SAME_SIGNAL_MS = 1500;

export function registerStart(program: Command): void {
  program
    .command('start')
    .description('run everything on this machine: database, API, worker, scheduler')
    .action(runService);
}

async function runService(): Promise<void> {
  const isTerminal = process.stdout.isTTY;
  let stop: (() => Promise<void>) | undefined;
  let stopRequestedAt: number | undefined;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const end = (): void => {
    if (stopRequestedAt !== undefined && Date.now() - stopRequestedAt > SAME_SIGNAL_MS) process.exit(130);
    stopRequestedAt ??= Date.now();
    if (stop) void stop().then(finish, finish);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  // scripts/run.mjs forwards signals. When that process is killed, this process must notice and stop.
  process.once('disconnect', end);
  process.channel?.unref();

  // Loaded here, because the other commands load the database's code, which a supervisor must not hold in memory.
  const { startService } = await import('../start/start.ts');
  const service = await startService({ env: process.env, write: writeOut, isTerminal });
  stop = service.stop;
  if (stopRequestedAt !== undefined) end();
  await finished;
  // A half-open request of the readiness check must not delay the exit.
  process.exit(0);
}

function writeOut(text: string): void {
  process.stdout.write(text);
}
