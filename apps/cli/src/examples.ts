import type { Command } from 'commander';

/**
 * Adds examples to a command's help.
 * @param examples whole commands without `gleaner`, unless a pipe leads to it
 */
export function addExamples(command: Command, examples: readonly string[]): Command {
  const lines = examples.map(
    (example) => `  $ ${example.includes('| gleaner ') ? '' : 'gleaner '}${example}`,
  );
  return command.addHelpText('after', ['', 'Examples:', ...lines].join('\n'));
}
