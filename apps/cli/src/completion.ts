import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';

/** Adds `gleaner completion <shell>` and the command that its scripts call. */
export function addCompletion(program: Command, description: string): void {
  tab(program, { completionCommandName: 'completion' });
  const command = program.commands.find((one) => one.name() === 'completion');
  command
    ?.description(description)
    .addHelpText(
      'after',
      [
        '',
        'Examples:',
        '  $ source <(gleaner completion bash)',
        '  $ gleaner completion fish > ~/.config/fish/completions/gleaner.fish',
      ].join('\n'),
    );
}
