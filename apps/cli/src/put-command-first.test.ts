import { expect, it } from 'vitest';
import { putCommandFirst } from './put-command-first.ts';

it.each([
  ['--json parsers list', 'parsers list --json'],
  ['--service http://a.test --json jobs get job_1', 'jobs get job_1 --service http://a.test --json'],
  ['--service=http://a.test jobs list', 'jobs list --service=http://a.test'],
  ['--json crawl -- -x', 'crawl --json -- -x'],
  ['parsers list --json', 'parsers list --json'],
  ['--json', '--json'],
  ['--version', '--version'],
])('%s is %s', (written, read) => {
  expect(putCommandFirst(written.split(' '))).toEqual(read.split(' '));
});
