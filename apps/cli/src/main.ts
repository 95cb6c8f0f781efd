import { AppError } from '@gleaner/contracts';
import { Command } from 'commander';
import { registerStart } from './commands/start.ts';
import { Fault } from '@gleaner/embedded-postgres/fault';

const program = new Command('gleaner')
  .description('Gleaner: structured data from web pages, on your own machine.')
  .showHelpAfterError()
  .configureHelp({ sortSubcommands: true });

registerStart(program);
// A supervisor runs for as long as the service does, so it loads no command that it does not need.
if (process.argv[2] !== 'start') (await import('./commands/register-all.ts')).registerAll(program);

/** Describes a user's mistake in plain lines. Any other error is a bug and keeps its stack. */
function describeError(error: unknown): string {
  if (error instanceof Fault) return error.message;
  if (error instanceof AppError) {
    const { error: text, field, detail, hint } = error.toBody();
    const figures = Object.entries(error.options.members ?? {}).map(
      ([name, value]) => `${name} ${String(value)}`,
    );
    const parts = [text, field, detail, figures.length > 0 ? figures.join(', ') : undefined];
    const what = parts.filter((part) => part !== undefined).join(': ');
    return hint === undefined ? what : `${what}\n  → ${hint}`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`gleaner: ${describeError(error)}\n`);
  process.exitCode = 1;
}
