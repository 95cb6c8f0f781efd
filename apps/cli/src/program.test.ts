import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { beforeAll, expect, it } from 'vitest';
import { buildProgram } from './program.ts';
import { OPERATIONS } from './service/operations/operations.ts';
import { BY_HAND, commandOf, placeOf } from './service/operations/table.ts';
import { callsIn, faultOf, findCommand } from './testing/parse-words.ts';

const OPERATOR = [
  'start',
  'extract',
  'accounts',
  'keys',
  'queues',
  'oauth',
  'migrate',
  'backup',
  'restore',
  'doctor',
];
const root = join(import.meta.dirname, '../../..');
let program: Command;

beforeAll(async () => {
  program = await buildProgram(['completion', ...OPERATOR]);
});

function leavesOf(command: Command, path: readonly string[] = []): { path: string; command: Command }[] {
  const children = command.commands.filter((child) => child.name() !== 'complete');
  const below = children.flatMap((child) => leavesOf(child, [...path, child.name()]));
  return children.length === 0 ? [{ path: path.join(' '), command }] : below;
}

/** The whole text of `--help`. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

function examplesOf(command: Command): string[] {
  return [...helpOf(command).matchAll(/^ {2}\$ (.*)$/gm)].map(([, example = '']) => example);
}

/** The faults of calls, each with where it stands. */
async function faultsOf(calls: readonly { where: string; words: readonly string[] }[]): Promise<string[]> {
  const faults: string[] = [];
  for (const { where, words } of calls) {
    const fault = await faultOf(words);
    if (fault !== undefined) faults.push(`${where}: ${words.join(' ')}: ${fault}`);
  }
  return faults;
}

it('every command has an example, and every example of a help is taken', async () => {
  const leaves = [{ path: '', command: program }, ...leavesOf(program)];
  expect(leaves.length).toBeGreaterThan(100);
  const lacking = leaves.filter(
    ({ path, command }) =>
      !examplesOf(command).some((example) =>
        callsIn(example).some((words) => words.join(' ').startsWith(path)),
      ),
  );
  expect(lacking.map(({ path }) => path)).toEqual([]);
  const calls = leaves.flatMap(({ path, command }) =>
    examplesOf(command)
      .flatMap(callsIn)
      .map((words) => ({ where: path, words })),
  );
  expect(calls.length).toBeGreaterThan(120);
  expect(await faultsOf(calls)).toEqual([]);
});

it('every operation for programs has a command, and each made from the table has its own', () => {
  const leaves = new Set(leavesOf(program).map(({ path }) => path));
  const hasCommand = (words: string): boolean =>
    leaves.has(words) || program.commands.some((command) => command.name() === words);
  const lacking = OPERATIONS.filter((operation) => !hasCommand(commandOf(operation) ?? ''));
  expect(lacking.map(({ id }) => id)).toEqual([]);
  const made = OPERATIONS.filter(placeOf).map(commandOf);
  expect(made.length + Object.keys(BY_HAND).length).toBe(OPERATIONS.length);
  expect(made.length).toBeGreaterThan(40);
  expect(new Set(made).size).toBe(made.length);
});

/** What the helps of version 0.1.0 said: by command, the flags of its options and its examples. */
const HELP_0_1_0 = JSON.parse(
  readFileSync(join(import.meta.dirname, 'testing/help-0.1.0.json'), 'utf8'),
) as Record<string, { options: string[]; examples: string[] }>;

it('options and examples of version 0.1.0 are still taken', async () => {
  const commands = Object.entries(HELP_0_1_0);
  expect(commands.length).toBeGreaterThan(130);
  const calls = commands.flatMap(([where, { examples }]) =>
    examples.flatMap(callsIn).map((words) => ({ where, words })),
  );
  const faults = await faultsOf(calls);
  for (const [path, { options }] of commands) {
    const { options: own = [] } = (await findCommand(path)) ?? {};
    for (const flags of options) {
      const [, short, long, value] = /^(?:(-\w), )?(--[\w-]+)(.*)$/.exec(flags) ?? [];
      const found = own.find((option) => option.long === long);
      if (!found || found.required !== (value !== '') || (short !== undefined && found.short !== short))
        faults.push(`${path}: ${flags}`);
    }
  }
  expect(faults).toEqual([]);
});

it('help takes a command of any depth', async () => {
  const printed: string[] = [];
  const read = async (...words: string[]): Promise<string> => {
    const own = await buildProgram(['help', ...words]);
    for (const command of [own, ...own.commands, ...own.commands.flatMap(({ commands }) => commands)])
      command
        .exitOverride()
        .configureOutput({ writeOut: (text) => printed.push(text), writeErr: (text) => printed.push(text) });
    printed.length = 0;
    await own.parseAsync(['help', ...words], { from: 'user' }).catch(() => {});
    return printed.join('');
  };
  expect(await read('batch', 'submit')).toMatch(/Usage: gleaner batch submit[^]*--keep-pages/);
  expect(await read('batch')).toContain('Usage: gleaner batch [');
  expect(await read('batch', 'nonsense')).toContain('batch has no command nonsense');
});

it('the version is that of the package', () => {
  expect(program.version()).toMatch(/^\d+\.\d+\.\d+/);
});

/** The lines of a page's shell blocks, with continued ones as one, without comments; and calls in its sentences. */
function shellLinesOf(page: string): string[] {
  const inSentences = [...page.matchAll(/`(gleaner [^`]+)`/g)].map(([, call = '']) => call);
  const inBlocks = [...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].flatMap(([, block = '']) =>
    block
      .replaceAll(/\\\n/g, ' ')
      .split('\n')
      .map((line) =>
        line
          .replace(/(^|\s)#.*$/, '')
          .replace(/^\s*docker compose exec \S+ /, '')
          .replaceAll(/\bnpm run -s gleaner --|\bnode dist\/cli\.js/g, 'gleaner'),
      ),
  );
  return [...inSentences, ...inBlocks];
}

it('every command that a page of the documentation shows is taken', async () => {
  const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: root })];
  const calls = pages.flatMap((where) =>
    shellLinesOf(readFileSync(join(root, where), 'utf8'))
      .flatMap(callsIn)
      // `gleaner GROUP --help` stands for all groups.
      .filter(([group]) => group !== 'GROUP')
      // A capital stands for a number.
      .map((words) => ({ where, words: words.map((word) => word.replace(/^[NS]$/, '300')) })),
  );
  expect(calls.length).toBeGreaterThan(60);
  const faults = await faultsOf(calls);
  // A sentence names a command without what it needs.
  expect(faults.filter((fault) => !/missing required argument|required option/.test(fault))).toEqual([]);
});
