import { expect, it } from 'vitest';
import { lackOf, lackOfLines, uploadFieldsOf, type RunDraft } from './run-draft.ts';

const DRAFT: RunDraft = {
  target: 'parser:prs_1',
  name: ' nightly ',
  source: { from: 'list', url: '', isNewOnly: false },
  sink: { database: null, table: '' },
  config: { useBrowser: true, proxy: 'premium' },
  maxCredits: 50,
  keepPages: 'failed',
  dedupe: false,
  carry: [],
};

it('says what is missing, in the order of the form', () => {
  expect(lackOf({ ...DRAFT, target: null }, false)).toMatch(/what to run/);
  expect(lackOf(DRAFT, false)).toMatch(/addresses/);
  expect(lackOf({ ...DRAFT, target: 'api:videosite-video' }, false)).toMatch(/inputs/);
  expect(lackOf({ ...DRAFT, sink: { database: 'db_1', table: '' } }, true)).toMatch(/table/);
  expect(lackOf({ ...DRAFT, sink: { database: 'db_1', table: 'My Prices' } }, true)).toMatch(/lower-case/);
  expect(lackOf(DRAFT, true)).toBeUndefined();
});

it('does not offer to run lines that the service would refuse with the whole list', () => {
  expect(lackOfLines(0)).toBeUndefined();
  expect(lackOfLines(1)).toMatch(/^1 line is refused/);
  expect(lackOfLines(2_000)).toMatch(/^2,000 lines are refused/);
});

it('sends how a parser fetches, and leaves it to a prebuilt API', () => {
  expect(uploadFieldsOf(DRAFT)).toEqual({
    target: { type: 'parser', parserId: 'prs_1' },
    name: 'nightly',
    sink: undefined,
    dedupe: false,
    max_credits: 50,
    keep_pages: 'failed',
    scrape_config: { useBrowser: true, proxy: 'premium' },
  });
  const api = uploadFieldsOf({ ...DRAFT, target: 'api:videosite-video', name: ' ', maxCredits: '' });
  expect(api).toEqual({
    target: { type: 'api', id: 'videosite-video' },
    name: undefined,
    sink: undefined,
    dedupe: false,
    max_credits: undefined,
  });
});

it('keeps the ticked columns of a list beside the fields of the parser', () => {
  const draft = { ...DRAFT, carry: ['SKU', 'title', 'Title'] };
  expect(uploadFieldsOf(draft, ['title'])).toMatchObject({
    carry: { sku: 'SKU', input_title: 'title', input_title_: 'Title' },
  });
  expect(uploadFieldsOf({ ...draft, source: { ...DRAFT.source, from: 'feed' } })).not.toHaveProperty('carry');
  expect(uploadFieldsOf({ ...draft, target: 'api:videosite-video' })).not.toHaveProperty('carry');
});
