import { expect, it } from 'vitest';
import { bodyOf, lackOf, lineOfInput, newCronDraft, type CronDraft } from './cron-draft.ts';

const DRAFT: CronDraft = {
  ...newCronDraft('parser:prs_1', 'https://a.example/1\n\n https://a.example/2 '),
  name: ' Prices ',
  zone: 'Europe/Berlin',
  sink: { database: 'db_1', table: 'prices', onDrift: 'pause' },
};

it('says what is missing, in the order of the form', () => {
  expect(lackOf({ ...DRAFT, name: ' ' })).toMatch(/name/);
  expect(lackOf({ ...DRAFT, target: null })).toMatch(/what to run/);
  expect(lackOf({ ...DRAFT, sink: { database: 'db_1', table: 'No Good' } })).toMatch(/table/);
  expect(lackOf({ ...DRAFT, refused: { count: 90, unit: 'minutes' } })).toBe('Correct the schedule.');
  expect(lackOf({ ...DRAFT, pauseAfter: '' })).toMatch(/failures/);
  expect(lackOf({ ...DRAFT, inputs: '\n' })).toMatch(/address/);
  expect(lackOf({ ...DRAFT, target: 'api:videosite-video', inputs: '{"a": 1}\n[]' })).toMatch(/Line 2/);
  expect(lackOf({ ...DRAFT, target: 'workflow:wfl_1', sink: { database: null, table: '' } })).toBeUndefined();
  expect(lackOf(DRAFT)).toBeUndefined();
});

it('copies inputs of a batch with their addresses and values', () => {
  const url = 'https://a.example/1';
  expect(lineOfInput({ url }, false)).toBe(url);
  const line = lineOfInput({ url, input: { sku: 'A' } }, false);
  expect(JSON.parse(line)).toEqual({ url, sku: 'A' });
  expect(bodyOf({ ...DRAFT, inputs: line })).toMatchObject({ inputs: [{ url, sku: 'A' }], carry: true });
  expect(lineOfInput({ url, input: { id: 'v' } }, true)).toBe('{"id":"v"}');
});

it('writes the body of a new cron', () => {
  expect(bodyOf({ ...DRAFT, maxCredits: 20 })).toEqual({
    name: 'Prices',
    description: '',
    target: { type: 'parser', parserId: 'prs_1' },
    inputs: ['https://a.example/1', 'https://a.example/2'],
    schedule: '0 6 * * *',
    timezone: 'Europe/Berlin',
    sink: { mode: 'database', database: 'db_1', table: 'prices', on_drift: 'pause' },
    keep_pages: 'failed',
    scrape_config: {},
    overlap: 'skip',
    pause_after_failures: 10,
    max_credits: 20,
  });
});

it('reads the inputs of an API as objects, and gives a workflow no sink', () => {
  expect(bodyOf({ ...DRAFT, target: 'api:videosite-video', inputs: '{"id": "a"}' }).inputs).toEqual([
    { id: 'a' },
  ]);
  const workflow = bodyOf({ ...DRAFT, target: 'workflow:wfl_1' });
  expect(workflow).not.toHaveProperty('sink');
  expect(workflow).not.toHaveProperty('keep_pages');
});
