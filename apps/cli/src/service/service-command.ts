import type { Command } from 'commander';
import { addExamples } from '../examples.ts';

/** Options that every command of the service has. */
export interface ServiceFlags {
  service?: string;
  json?: boolean;
}

export interface ServiceCommand {
  name: string;
  description: string;
  /** As `addExamples` takes them. */
  examples: readonly string[];
}

/** Adds a command that calls the service, with `--service`, `--json` and its examples. */
export function serviceCommand(parent: Command, { name, description, examples }: ServiceCommand): Command {
  const command = parent
    .command(name)
    .description(description)
    .option('--service <address>', 'the service (GLEANER_URL, else that of `gleaner login`)')
    .option('--json', 'print JSON');
  return addExamples(command, examples);
}
