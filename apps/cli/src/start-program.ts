import { Command } from 'commander';
import { register } from './commands/start.ts';

/** The command line with only `start`. */
export function buildProgram(): Command {
  const program = new Command('gleaner').showHelpAfterError();
  register(program.command('start'));
  return program;
}
