import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { beforeAll, expect, it } from 'vitest';
import { buildProgram } from './program.ts';
import { BY_HAND, listOperations, placeOf } from './service/operation-commands.ts';
import { GROUPS } from './service/records.ts';

const OPERATOR = ['start', 'extract', 'accounts', 'keys', 'oauth', 'migrate', 'backup', 'restore', 'doctor'];
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

/** Calls of `gleaner` in an example, as words. */
function callsIn(example: string): string[][] {
  return example
    .split(/\| |&& |<\(/)
    .map((part) => part.trim().match(/'[^']*'|\S+/g) ?? [])
    .filter(([first]) => first === 'gleaner')
    .map(([, ...words]) => words);
}

/** Why a call in a help could not run as it stands; undefined when it can. */
function faultOf(words: readonly string[]): string | undefined {
  let command = program;
  let isValue = false;
  for (const word of words) {
    if (isValue) {
      isValue = false;
      continue;
    }
    if (word === '--help') return undefined;
    if (/^-./.test(word)) {
      const option = command.options.find(({ short, long }) => word === short || word === long);
      if (option === undefined) return `${command.name()} has no option ${word}`;
      isValue = option.required;
      continue;
    }
    const child = command.commands.find((one) => one.name() === word);
    if (child === undefined && command.commands.length > 0 && command.registeredArguments.length === 0)
      return `${command.name()} has no command ${word}`;
    command = child ?? command;
  }
  return undefined;
}

it('every command has an example, and every example calls commands and options that exist', () => {
  const faults: string[] = [];
  const leaves = leavesOf(program);
  expect(leaves.length).toBeGreaterThan(50);
  for (const { path, command } of [{ path: '', command: program }, ...leaves]) {
    const examples = [...helpOf(command).matchAll(/^ {2}\$ (.*)$/gm)].map(([, example = '']) => example);
    if (!examples.some((example) => callsIn(example).some((words) => words.join(' ').startsWith(path))))
      faults.push(`${path}: no example calls it`);
    for (const example of examples)
      for (const words of callsIn(example)) {
        const fault = faultOf(words);
        if (fault !== undefined) faults.push(`${path}: ${example}: ${fault}`);
      }
  }
  expect(faults).toEqual([]);
});

it('every operation for programs has a command, and each made from the table has its own', () => {
  const leaves = new Set(leavesOf(program).map(({ path }) => path));
  const hasCommand = (words: string): boolean =>
    leaves.has(words) || program.commands.some((command) => command.name() === words);
  const operations = listOperations();
  expect(Object.values(BY_HAND).filter((words) => !hasCommand(words))).toEqual([]);
  const made = operations.flatMap((operation) => {
    const place = placeOf(operation);
    return place ? [`${GROUPS[place.group].word} ${place.name}`] : [];
  });
  expect(made.length + Object.keys(BY_HAND).length).toBe(operations.length);
  expect(made.length).toBeGreaterThan(40);
  expect(made.filter((words) => !hasCommand(words))).toEqual([]);
  expect(new Set(made).size).toBe(made.length);
});

it('help takes a command of any depth', async () => {
  const printed: string[] = [];
  const read = async (...words: string[]): Promise<string> => {
    const own = await buildProgram(words);
    for (const command of [own, ...own.commands, ...own.commands.flatMap(({ commands }) => commands)])
      command
        .exitOverride()
        .configureOutput({ writeOut: (text) => printed.push(text), writeErr: (text) => printed.push(text) });
    printed.length = 0;
    await own.parseAsync(['help', ...words], { from: 'user' }).catch(() => {});
    return printed.join('');
  };
  expect(await read('batch', 'submit')).toContain('Usage: gleaner batch submit');
  expect(await read('batch')).toContain('Usage: gleaner batch [');
  expect(await read('batch', 'nonsense')).toContain('batch has no command nonsense');
});

it('the version is that of the package', () => {
  expect(program.version()).toMatch(/^\d+\.\d+\.\d+/);
});

const root = join(import.meta.dirname, '../../..');

/** The lines of a page's shell blocks, with continued ones as one, without comments; and calls in its sentences. */
function shellLinesOf(page: string): string[] {
  const inSentences = [...page.matchAll(/`(gleaner [^`]+)`/g)].map(([, call = '']) => call);
  const inBlocks = [...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].flatMap(([, block = '']) =>
    block
      .replaceAll(/\\\n/g, ' ')
      .split('\n')
      .map((line) =>
        line.replace(/(^|\s)#.*$/, '').replaceAll(/\bnpm run -s gleaner --|\bnode dist\/cli\.js/g, 'gleaner'),
      ),
  );
  return [...inSentences, ...inBlocks];
}

it('every command that a page of the documentation shows calls commands and options that exist', () => {
  const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: root })];
  const calls = pages.flatMap((page) =>
    shellLinesOf(readFileSync(join(root, page), 'utf8')).flatMap((line) =>
      callsIn(line.replace(/^\s*docker compose exec \S+ /, '')).map((words) => ({ page, words })),
    ),
  );
  expect(calls.length).toBeGreaterThan(60);
  const faults = calls.flatMap(({ page, words }) => {
    // `gleaner GROUP --help` stands for all groups.
    if (words[0] === 'GROUP') return [];
    const fault = faultOf(words.slice(0, words.findIndex((word) => /^[<>]/.test(word)) >>> 0));
    return fault === undefined ? [] : [`${page}: ${words.join(' ')}: ${fault}`];
  });
  expect(faults).toEqual([]);
});
