import { expect, it } from 'vitest';
import { toShellWords } from './shell-words.ts';

it.each([
  [
    'List them with POST /v1/crawls/map; it is free with crawl.sources.links: false.',
    'List them with gleaner map; it is free with --no-links.',
  ],
  ['Create batches with keep_pages: all.', 'Create batches with --keep-pages all.'],
  ['Send {"cancelled": true} to run the cancelled inputs.', 'Send --cancelled to run the cancelled inputs.'],
  ['sink.table: must contain a letter', '--table: must contain a letter'],
  ['routes[0].sink.database: is required', '--database: is required'],
  ['`useBrowser: true` costs 5', '`--browser` costs 5'],
  ['Read it: useBrowser true, for 5 credits a page.', 'Read it: --browser, for 5 credits a page.'],
  ['is required: `dry_run=true` answers it', 'is required: `--dry-run` answers it'],
  [
    'Enable it with PUT /v1/webhooks/{id} {"enabled": true} first.',
    'Enable it with gleaner webhooks update --enabled first.',
  ],
  ['sink.database and target.parserId', '--database and --parser'],
  // What is no field, no whole field or no operation stays.
  [
    'cron_min_interval_seconds at https://a.example/sink.table',
    'cron_min_interval_seconds at https://a.example/sink.table',
  ],
  ['GET /v1/nothing', 'GET /v1/nothing'],
])('%s', (text, words) => {
  expect(toShellWords(text)).toBe(words);
});
