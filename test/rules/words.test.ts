import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listFiles, root } from '../../scripts/source-files.ts';

const SOURCE = /^(apps|packages|scripts|test|bench)\/.*\.(ts|tsx)$/;
/** Says itself which words are refused. */
const SELF = 'test/rules/words.test.ts';
/** A docstring that begins with one of them lacks its subject: of what, which ones, more than what? */
const DOCSTRING = /\/\*\*(?:\s*\*)? (?:Of|Those|More|So many|So often|Them) [^\n]*/g;
/** An error is read alone, so its text says what is wrong: `the body is …`, or a part of a sentence after its field. */
const ERROR = /\b(?:detail|hint): ['`](?:it|its|they|their|them|he|she|nobody|those) [^\n]*/g;

function findFaults(text: string): string[] {
  return [...text.matchAll(DOCSTRING), ...text.matchAll(ERROR)].map(([found]) => found);
}

it('finds docstrings and errors without a subject', () => {
  expect(findFaults('/** Of a line; the rest of it is cut. */')).toHaveLength(1);
  expect(findFaults('/**\n * Those that run.\n */')).toHaveLength(1);
  expect(findFaults("detail: 'it is not valid JSON'")).toHaveLength(1);
  expect(findFaults("/** The parts of it. */ detail: 'the body is too large, and it ends here'")).toEqual([]);
});

it('docstrings and errors name what they speak of', () => {
  const faults = listFiles()
    .filter((file) => SOURCE.test(file) && file !== SELF && !file.includes('/generated/'))
    .flatMap((file) => findFaults(readFileSync(join(root, file), 'utf8')).map((text) => `${file}: ${text}`));
  expect(faults).toEqual([]);
});
