import { expect, it } from 'vitest';
import type { Alarm } from '../alarms/alarms.ts';
import { needsOf, type Found } from './needs.ts';

const NOTHING: Found = {
  alarms: [],
  held: [],
  causes: [],
  paused: [],
  webhooks: [],
  alerts: [],
  daysLeft: undefined,
};

function failure(error: string, detail: string, runs: string[], jobs = 0): Found['causes'][number] {
  const example = { url: 'https://shop.example/1', detail };
  return { cause: `${error} ${detail}`, error, count: 12, runs, jobs, example };
}

it('needs nobody when nothing is wrong', () => {
  expect(needsOf(NOTHING)).toEqual([]);
  const own = { id: 'whk_1', url: 'https://a.example/hook', paused_until: null };
  expect(
    needsOf({
      ...NOTHING,
      webhooks: [
        { ...own, enabled: true, disabled_reason: null },
        // Turned off by a person.
        { ...own, enabled: false, disabled_reason: null },
      ],
    }),
  ).toEqual([]);
});

it('offers to run pages again only where that may help', () => {
  const retried = (error: string, detail: string, runs: string[], jobs?: number) =>
    needsOf({ ...NOTHING, causes: [failure(error, detail, runs, jobs)] })[0]?.retry;
  expect(retried('fetch failed', 'status 503', ['bat_1'], 2)).toEqual({
    cause: 'fetch failed status 503',
    runs: ['bat_1'],
    count: 10,
  });
  expect(retried('fetch failed', 'status 404', ['bat_1'])).toBeUndefined();
  expect(retried('extraction failed', 'nothing on the page matched', ['bat_1'])).toBeUndefined();
  // Jobs have no retry.
  expect(retried('fetch failed', 'status 503', [], 12)).toBeUndefined();
});

it('leads to what is wrong, the worst first', () => {
  const alarm = (parser: string, host: string) =>
    ({
      parser: { id: parser, name: 'kettles' },
      state: 'broken',
      host,
      fields: ['price'],
    }) as unknown as Alarm;
  const needs = needsOf({
    alarms: [alarm('prs_1', 'a.example'), alarm('prs_1', 'b.example')],
    held: [{ id: 'bat_1', name: 'Tuesday', held: 1 }],
    causes: [
      failure('fetch failed', 'status 503', ['run_1', 'bat_2'], 1),
      failure('target blocked', 'x', [], 12),
    ],
    paused: [{ id: 'crn_1', name: 'nightly', reason: '10 failures in a row' }],
    webhooks: [
      {
        id: 'whk_1',
        url: 'https://a.example/hook',
        enabled: true,
        disabled_reason: null,
        paused_until: '2026-03-05',
      },
    ],
    daysLeft: 2.5,
    alerts: [{ id: 'alr_1', name: 'mail', enabled: false, disabled_reason: 'gone' }],
  });
  expect(needs.map(({ title, place }) => [title, place.to])).toEqual([
    ['kettles no longer reads what it did', '/parsers/$parserId/health'],
    ['1 row waits for you to write or drop it', '/runs/batches/$batchId'],
    ['nightly paused itself', '/crons/$cronId'],
    ['Fetch failed: 12 pages, 1 job among them', '/workflow-runs/$runId'],
    ['Target blocked: 12 pages, 12 jobs among them', '/runs'],
    ['The credits last about 2 days (estimated)', '/credits'],
    ['Calls to a.example/hook fail', '/webhooks'],
    ['The alert mail is turned off', '/alerts'],
  ]);
  expect(needs[0]?.about).toBe('price on a.example; price on b.example');
});

it('speaks of credits only when they last less than a week', () => {
  const titles = (daysLeft: number) => needsOf({ ...NOTHING, daysLeft }).map(({ title }) => title);
  expect([titles(30), titles(7)]).toEqual([[], []]);
  expect(titles(1.5)).toEqual(['The credits last about 1 day (estimated)']);
  expect(titles(0)).toEqual(['The credits last less than a day (estimated)']);
});
