import { Command } from 'commander';
import { readVersion } from '@gleaner/core/version';
import { addExamples } from './examples.ts';
import { registerParsers } from './parser-files/register-parsers.ts';
import { registerChanges } from './service/changes/changes.ts';
import { registerAccount } from './service/connection/account.ts';
import { registerExtraction } from './service/extraction/extraction.ts';
import { registerOperations } from './service/operations/operation-commands.ts';
import { registerWatching } from './service/runs/follow.ts';
import { registerSubmitting } from './service/runs/submit.ts';

type Register = (command: Command) => void;

/**
 * Commands that work on this machine's installation. Loading one takes a second or more, with the database and the
 * engine behind it, so only the called command is loaded.
 */
const OPERATOR_COMMANDS: Readonly<
  Record<string, [description: string, load: () => Promise<{ register: Register }>]>
> = {
  start: [
    'run everything on this machine: database, API, worker, scheduler',
    () => import('./commands/start.ts'),
  ],
  extract: ['extract data from a saved page, without any service', () => import('./commands/extract.ts')],
  accounts: ['accounts: their credits and limits', () => import('./commands/accounts.ts')],
  keys: ['API keys of accounts', () => import('./commands/keys.ts')],
  queues: ['queues of work: pause and resume them', () => import('./commands/queues.ts')],
  oauth: ['OAuth subjects whose access tokens open /mcp', () => import('./commands/oauth.ts')],
  migrate: [
    'migrate the database to this version; `start` does this too',
    () => import('./commands/migrate.ts'),
  ],
  backup: [
    'write the embedded database and its keys to a file, while the service runs',
    () => import('./commands/backup.ts'),
  ],
  restore: ['make a data folder from a backup', () => import('./commands/restore.ts')],
  doctor: [
    'check this installation, and say what to do about what is wrong',
    () => import('./commands/doctor.ts'),
  ],
};

const SERVICE_COMMANDS: readonly Register[] = [
  registerAccount,
  registerChanges,
  registerExtraction,
  registerSubmitting,
  registerWatching,
  registerParsers,
  registerOperations,
];

/** `help batch submit` shows what `batch submit --help` shows; commander's own help reads one word alone. */
function addHelp(program: Command): void {
  program.helpCommand(false);
  addExamples(program.command('help'), ['help batch submit'])
    .argument('[command...]')
    .description('show the help of a command')
    .action((words: readonly string[]) => {
      let command = program;
      for (const word of words) {
        const child = command.commands.find((one) => one.name() === word);
        if (child === undefined)
          return command.error(`error: ${command.name()} has no command ${word}\nTry --help.`);
        command = child;
      }
      return command.help();
    });
}

/**
 * The command line with everything that `words` can call.
 * @param words the arguments of the command line
 */
export async function buildProgram(words: readonly string[]): Promise<Command> {
  const { version, commit } = readVersion();
  const shown = commit === null ? version : `${version} (commit ${commit.slice(0, 12)})`;
  const program = new Command('gleaner')
    .description('Gleaner: structured data from web pages, on your own machine.')
    .showHelpAfterError('Try --help.')
    .enablePositionalOptions()
    .version(shown, '-V, --version', 'print the version');
  addExamples(program, [
    'login --service https://gleaner.example',
    'scrape https://shop.example/p/1 --parser products',
    'cat urls | gleaner batch submit --parser products --watch --csv > out.csv',
  ]).addHelpText('after', '\ndocs/use/cli.md explains settings, exit codes and shell completion.');
  program.commandsGroup('Your work on a service:');
  for (const register of SERVICE_COMMANDS) register(program);
  program.commandsGroup('This installation:');
  const called = new Set(words);
  for (const [name, [description, load]] of Object.entries(OPERATOR_COMMANDS)) {
    const command = program.command(name).description(description);
    if (called.has(name)) (await load()).register(command);
  }
  program.commandsGroup('Help:');
  addHelp(program);
  const completion = 'print a completion script for bash, zsh or fish';
  if (called.has('completion') || words[0] === 'complete')
    (await import('./completion.ts')).addCompletion(program, completion);
  else program.command('completion').argument('<shell>').description(completion);
  return program;
}
