import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';

/** Adds `gleaner completion <shell>` and the command that its scripts call. */
export function addCompletion(program: Command): void {
  tab(program, { completionCommandName: 'completion' });
}
