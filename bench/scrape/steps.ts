import type { Database } from '@gleaner/db';
import { rounded } from '../load/statistics.ts';
import type { Load } from './load.ts';

/** Mean ms of each step of a scrape, in order. */
export type Steps = Record<
  'to submit' | 'submit and queue' | 'start, fetch, extract' | 'end and answer',
  number
>;

/**
 * Mean times of the steps of a load's scrapes: the client's clock before and after, and between them the times that
 * Postgres wrote in the rows of its requests. Differences of means are means of differences, so no call needs its row.
 */
export async function readSteps(db: Database, { between, means }: Load): Promise<Steps> {
  const [row] = await db.sql<{ created: number; started: number; finished: number }[]>`
    SELECT avg(extract(epoch FROM created_at) * 1000 - ${between[0]})::float8 AS created,
      avg(extract(epoch FROM started_at) * 1000 - ${between[0]})::float8 AS started,
      avg(extract(epoch FROM finished_at) * 1000 - ${between[0]})::float8 AS finished
    FROM gleaner.requests
    WHERE created_at BETWEEN to_timestamp(${between[0]}::float8 / 1000) AND to_timestamp(${between[1]}::float8 / 1000)`;
  if (!row) throw new Error('no requests');
  const [sentAt, answeredAt] = [means[0] - between[0], means[1] - between[0]];
  return {
    'to submit': rounded(row.created - sentAt, 2),
    'submit and queue': rounded(row.started - row.created, 2),
    'start, fetch, extract': rounded(row.finished - row.started, 2),
    'end and answer': rounded(answeredAt - row.finished, 2),
  };
}
