import type { Command } from 'commander';
import { addExamples } from '../../examples.ts';

/**
 * Adds a command that calls the service, with the options that all of them have, and its examples.
 * @param examples as `addExamples` takes them
 */
export function serviceCommand(
  parent: Command,
  name: string,
  about: string,
  examples: readonly string[],
): Command {
  const command = parent
    .command(name)
    .description(about)
    .option('--service <address>', 'the service (GLEANER_URL, else that of `gleaner login`)')
    .option('--json', 'print JSON')
    .option('--no-wait', 'try once, also when the service asks to try again later');
  return addExamples(command, examples);
}
