import type { Command } from 'commander';

/** Options that every command of the service has. */
export interface ServiceFlags {
  url?: string;
  json?: boolean;
}

export interface ServiceCommand {
  name: string;
  description: string;
  /** Lines of the help's examples, each a whole command without `gleaner`. */
  examples: readonly string[];
}

/** Adds a command that calls the service, with `--url`, `--json` and its examples. */
export function serviceCommand(parent: Command, { name, description, examples }: ServiceCommand): Command {
  return parent
    .command(name)
    .description(description)
    .option('--url <address>', 'the service (GLEANER_URL, else that of `gleaner login`)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      ['', 'Examples:', ...examples.map((example) => `  $ gleaner ${example}`)].join('\n'),
    );
}
