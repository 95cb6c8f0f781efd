import { Command } from 'commander';
import { registerStart } from './commands/start.ts';

/** The command line with only `start`. */
export function buildProgram(): Command {
  const program = new Command('gleaner').showHelpAfterError();
  registerStart(program);
  return program;
}
