import { expect, test } from 'vitest';
import { jobSpans, phaseSpans } from './timeline.tsx';

const job = {
  created_at: '2026-01-01T00:00:00.000Z',
  started_at: '2026-01-01T00:00:00.012Z',
  finished_at: '2026-01-01T00:00:00.150Z',
  attempts: 1,
  mode: 'return',
  phases: { connect_ms: 30, first_byte_ms: 84, download_ms: 4, parse_ms: 6 },
} as const;

function named(spans: ReturnType<typeof jobSpans>): Record<string, number> {
  return Object.fromEntries(spans.map(({ name, ms }) => [name, ms]));
}

test('the bars of a job add up to its whole time', () => {
  expect(named(jobSpans(job))).toEqual({
    Queued: 12,
    Connecting: 30,
    'First byte': 84,
    Download: 4,
    Parsing: 6,
    'Storing the outcome': 14,
  });
  expect(named(jobSpans({ ...job, mode: 'database' }))).toMatchObject({ 'Writing to the table': 14 });
});

test('earlier attempts come before the last one, which alone is measured', () => {
  const spans = jobSpans({ ...job, attempts: 3, finished_at: '2026-01-01T00:00:05.012Z' });
  expect(spans.map(({ name }) => name).slice(0, 3)).toEqual([
    'Queued',
    'Earlier attempts and pauses',
    'Connecting',
  ]);
  expect(named(spans)['Earlier attempts and pauses']).toBe(5_000 - 124);
});

test('a pause that the host asked for is named, and long waits are no storing', () => {
  const paused = { ...job, finished_at: '2026-01-01T00:01:00.150Z' } as const;
  const spans = named(jobSpans({ ...paused, phases: { ...job.phases, pause_ms: 60_000 } }));
  expect(spans).toMatchObject({
    'Paused, as the host asked or after a failure': 60_000,
    'Storing the outcome': 14,
  });
  expect(named(jobSpans(paused))).toHaveProperty('Waiting, and storing the outcome');
});

test('what was not measured has no bar, and no invented time', () => {
  expect(named(jobSpans({ ...job, phases: null }))).toEqual({ Queued: 12, 'Fetched and read': 138 });
  expect(phaseSpans({ first_byte_ms: 9 })).toEqual([
    { name: 'Connecting and first byte', ms: 9, kind: 'run' },
  ]);
  expect(named(jobSpans({ ...job, finished_at: null, phases: null }))).toEqual({ Queued: 12 });
  expect(jobSpans({ ...job, started_at: null, finished_at: null, phases: null })).toEqual([]);
});
