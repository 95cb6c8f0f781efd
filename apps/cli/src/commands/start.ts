import type { Command } from 'commander';
import { startService } from '../start/start.ts';

/** A second Ctrl-C within this time is the same one, passed on by npm; a later one means "now". */
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
  let askedAt: number | undefined;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const end = (): void => {
    if (askedAt !== undefined && Date.now() - askedAt > SAME_SIGNAL_MS) process.exit(130);
    askedAt ??= Date.now();
    if (stop) void stop().then(finish, finish);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  // Started by scripts/run.mjs: when that process is killed, nobody could stop this one.
  process.once('disconnect', end);
  process.channel?.unref();

  const service = await startService({ env: process.env, write: writeOut, isTerminal });
  stop = service.stop;
  if (askedAt !== undefined) end();
  await finished;
  // Whatever still waits (a half-open request of the readiness check) must not hold up the end.
  process.exit(0);
}

function writeOut(text: string): void {
  process.stdout.write(text);
}
