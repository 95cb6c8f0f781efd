import { AppError, crawlField, MAX_REPARSED_PAGES, type CrawlRoute, type Sink } from '@gleaner/contracts';
import { NEWEST_ADDRESS_RULE } from '@gleaner/contracts/values';
import type { Transaction } from '@gleaner/db';
import { compileCrawl } from '@gleaner/extractors/crawl';
import { sql } from 'drizzle-orm';
import type { Context, InputOf, Perform } from '../../platform/context.ts';
import { readRunsOf } from '../../storage/pages/read-pages.ts';
import { readBatchRecord } from './batch-record.ts';
import { listInputs } from '../submission/run-inputs.ts';
import { createInputReader } from '../stages/input-values.ts';
import { prepareRun, submitRun } from '../submission/prepare-run.ts';
import { submitServicesOf, type RunServices } from '../submission/run-services.ts';
import type { RunSubmission } from '../submission/run-submission.ts';
import type { RunConfig } from '../tasks/run-config.ts';
import type { TaskTarget } from '../tasks/task-spec.ts';

interface RunRow {
  no: string;
  name: string | null;
  target: TaskTarget;
  config: RunConfig;
  sink: Sink | null;
}

interface PageRow {
  id: string;
  url: string;
  carried: string | null;
}

const READ_AT_ONCE = 5_000;

type Selection = InputOf<'reparseBatch'>['body']['pages'];

async function readBatch(ctx: Context, id: string): Promise<RunRow> {
  const [run] = await ctx.services.db.sql<RunRow[]>`
    SELECT no::text AS no, name, target, config, sink FROM gleaner.runs
    WHERE id = ${id} AND account_id = ${ctx.accountId} AND kind = 'batch'`;
  if (!run) throw new AppError('not_found');
  return run;
}

/** In the order of the batch's inputs. A re-parse fetches no pages: its pages are the kept pages that it read. */
function readPages(ctx: Context, { no }: RunRow, selection: Selection): Promise<PageRow[]> {
  const { sql: query } = ctx.services.db;
  return query<PageRow[]>`
    SELECT p.id, p.url, t.carried FROM (
      SELECT k.id, k.seq FROM gleaner.kept_pages k WHERE k.run_no = ${no}
      UNION ALL
      SELECT r.page_id, r.seq FROM gleaner.reparsed_pages r WHERE r.run_no = ${no}
    ) o JOIN gleaner.kept_pages p ON p.id = o.id
    LEFT JOIN LATERAL (SELECT n.carried FROM gleaner.tasks n WHERE n.run_no = ${no} AND n.seq = o.seq LIMIT 1) t ON true
    WHERE p.account_id = ${ctx.accountId} AND p.expires_at > now() + interval '1 hour'
      ${selection === 'failed' ? query`AND p.error IS NOT NULL` : query``}
      ${
        selection === 'quarantined'
          ? query`AND EXISTS (
              SELECT 1 FROM gleaner.quarantined_rows q
              WHERE q.run_no = p.run_no AND q.seq = p.seq AND q.state IN ('suspect', 'held'))`
          : query``
      }
    ORDER BY o.seq LIMIT ${MAX_REPARSED_PAGES}`;
}

/** Rows that were held back because of these pages wait no longer: the re-parse writes them. */
async function endQuarantine(tx: Transaction, pages: readonly PageRow[]): Promise<void> {
  const ids = pages.map(({ id }) => id).join(',');
  await tx.execute(sql`
    UPDATE gleaner.quarantined_rows q SET state = 'reparsed'
    FROM gleaner.kept_pages p
    WHERE p.id = ANY (string_to_array(${ids}, ',')) AND q.run_no = p.run_no AND q.seq = p.seq
      AND q.state IN ('suspect', 'held')`);
}

/** One statement: the transaction holds the account. */
async function linkPages(tx: Transaction, runId: string, pages: readonly PageRow[]): Promise<void> {
  const ids = pages.map(({ id }) => id).join(',');
  await tx.execute(sql`
    INSERT INTO gleaner.reparsed_pages (run_no, seq, page_id)
    SELECT r.no, (p.place - 1)::int, p.id
    FROM gleaner.runs r, string_to_table(${ids}, ',') WITH ORDINALITY p (id, place) WHERE r.id = ${runId}`);
}

/** What a re-parse is beside its pages. */
interface Reparse extends Pick<RunSubmission, 'target' | 'sink' | 'carry'> {
  name: string | null;
  pages: readonly (PageRow & { values?: object })[];
}

/** A batch at price 0 that reads kept pages and fetches none. @throws AppError not_found, invalid_request, pending_limit */
async function submitReparse(ctx: Context<RunServices>, { name, pages, ...rest }: Reparse) {
  const inputs = pages.map(({ url, values }) => ({ ...values, url }));
  const created = await prepareRun(submitServicesOf(ctx), {
    ...rest,
    accountId: ctx.accountId,
    origin: { type: 'batch', name },
    by: { keyId: ctx.keyId },
    isReparse: true,
    inputs: () => listInputs('pages', inputs),
    bounds: { maxInputs: MAX_REPARSED_PAGES },
    signal: ctx.signal,
  });
  return submitRun(ctx, created, async (tx) => {
    await linkPages(tx, created.id, pages);
    await endQuarantine(tx, pages);
    return readBatchRecord(tx, ctx.accountId, created.id);
  });
}

/**
 * Applies a version of the parser to the pages that a batch kept.
 * @throws AppError not_found: no such batch or version, or no kept pages; pending_limit
 */
export const reparseBatch: Perform<'reparseBatch', RunServices> = async (ctx, { params, body }) => {
  const run = await readBatch(ctx, params.id);
  const { target } = run;
  const parserId = 'parserId' in target ? target.parserId : undefined;
  if (parserId === undefined) {
    throw new AppError('invalid_request', {
      field: 'id',
      detail: 'only batches of parsers keep pages that can be parsed again',
    });
  }
  const pages = await readPages(ctx, run, body.pages);
  if (pages.length === 0) {
    throw new AppError('not_found', {
      detail: 'the batch has no kept pages of this kind, or they have expired',
      hint: 'Create batches with keep_pages: all.',
    });
  }
  const { version } = body;
  const readValues = createInputReader(ctx.services);
  const valued: Reparse['pages'][number][] = [];
  for (const page of pages) valued.push({ ...page, values: await readValues(run.no, page.carried) });
  return submitReparse(ctx, {
    name: run.name,
    pages: valued,
    target: { type: 'parser', parserId, ...(version === undefined ? {} : { version }) },
    sink: run.sink ?? undefined,
    carry: run.config.carry,
  });
};

/** Whether an address fits one of a crawl's patterns. */
function fitsOf(match: CrawlRoute['match']): (url: string) => boolean {
  const crawl = crawlField.parse({ addresses: NEWEST_ADDRESS_RULE });
  const { normalise, routeOf } = compileCrawl({ start: [], crawl, routes: [{ match, follow: false }] });
  return (url) => {
    const address = normalise(url);
    return address !== null && routeOf(address) !== null;
  };
}

/**
 * Applies a parser to the pages that a run or its parts kept, each address once: its latest page.
 * @throws AppError not_found: no such parser or database, or no kept pages; invalid_request, pending_limit
 */
export const parsePages: Perform<'parsePages', RunServices> = async (ctx, { body }) => {
  const { run, match = '*', target, sink, name } = body;
  const fits = fitsOf(match);
  const runs = await readRunsOf(ctx, run);
  const latest = ctx.services.db.sql<PageRow[]>`
    SELECT id, url, NULL AS carried FROM (
      SELECT DISTINCT ON (url) id, url, run_no, seq FROM gleaner.kept_pages
      WHERE run_id = ANY(${runs}::text[]) AND account_id = ${ctx.accountId} AND expires_at > now() + interval '1 hour'
      ORDER BY url, id DESC
    ) p ORDER BY run_no, seq`;
  const chosen: PageRow[] = [];
  for await (const rows of latest.cursor(READ_AT_ONCE)) {
    chosen.push(...rows.filter(({ url }) => fits(url)).slice(0, MAX_REPARSED_PAGES - chosen.length));
    if (chosen.length >= MAX_REPARSED_PAGES) break;
  }
  if (chosen.length === 0) {
    throw new AppError('not_found', {
      detail: 'the run has no kept pages with such addresses, or they have expired',
      hint: 'Create crawls and batches with keep_pages: all.',
    });
  }
  return submitReparse(ctx, { name: name ?? null, pages: chosen, target, sink });
};
