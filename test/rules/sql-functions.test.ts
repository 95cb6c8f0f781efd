import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const FOLDER = path.join(import.meta.dirname, '../../packages/db/functions');
const files = readdirSync(FOLDER)
  .toSorted()
  .map((name) => ({ name, text: readFileSync(path.join(FOLDER, name), 'utf8') }));

/** Each function, from its first line to the end of its body. */
const functions = files.flatMap(({ name: file, text }) =>
  [...text.matchAll(/^CREATE FUNCTION engine\.(\w+)[^]*?\$\$[^]*?\$\$;?$/gm)].map(([own, name = '']) => ({
    file,
    name,
    text: own,
    lines: own.split('\n').length,
  })),
);

/** What workers call to take chunks, and what that calls. */
const TAKE = ['wake_turns', 'plan_turns', 'decide_takes', 'write_takes', 'next_due_chunk', 'take_chunks'];
/** The files of the engine, which know no feature. */
const ENGINE_FILES = /^1(15|20|25|30|40)_/;
/** Tables of stages, crawls and sources. */
const FEATURES =
  /\bgleaner\.(stages|workflow_runs|child_batches|crawls|frontier|fetched_pages|guesses|run_sources|source_marks)\b/g;
/** Tables of crawls and sources. */
const PARTS = /\bgleaner\.(crawls|frontier|fetched_pages|guesses|run_sources|source_marks)\b/g;

it('no function of SQL has more than 80 lines, and none of a take more than 60', () => {
  expect(functions.length).toBeGreaterThan(150);
  const names = functions.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(TAKE));
  const most = (name: string): number => (TAKE.includes(name) ? 60 : 80);
  expect(
    functions.filter(({ name, lines }) => lines > most(name)).map(({ name, lines }) => `${name}: ${lines}`),
  ).toEqual([]);
});

it('the functions of the engine name no table of a feature, and stages none of crawls and sources', () => {
  const tablesIn = (text: string, pattern: RegExp): string[] => text.match(pattern) ?? [];
  const named = files.flatMap(({ name, text }) => {
    if (ENGINE_FILES.test(name)) return tablesIn(text, FEATURES).map((table) => `${name}: ${table}`);
    if (name === '195_stages.sql') return tablesIn(text, PARTS).map((table) => `${name}: ${table}`);
    return [];
  });
  expect(files.filter(({ name }) => ENGINE_FILES.test(name))).toHaveLength(5);
  expect(named).toEqual([]);
  // The doors name them: the pattern finds what it forbids.
  const doors = files.find(({ name }) => name === '193_doors.sql');
  expect(new Set(tablesIn(doors?.text ?? '', FEATURES)).size).toBeGreaterThan(2);
});

it('at most 19 settings of the planner, each with a reason beside it', () => {
  const lines = files
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => /\bSET (?:enable_|plan_cache_mode)/.test(line));
  const settings = lines.flatMap((line) => line.match(/\bSET (?:enable_|plan_cache_mode)/g) ?? []);
  expect(settings.length).toBeGreaterThan(0);
  expect(settings.length).toBeLessThanOrEqual(19);
  expect(lines.filter((line) => !/ AS \$\$ -- \S/.test(line))).toEqual([]);
});
