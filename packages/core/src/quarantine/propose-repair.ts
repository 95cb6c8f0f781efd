import { invalid } from '../platform/invalid-request.ts';
import { AppError, type ParserSchema, type Sink } from '@gleaner/contracts';
import type { Examples, RepairPage } from '@gleaner/learn';
import type { ExtractionPool } from '@gleaner/threads';
import type { ParsingServices } from '../extraction/parse/parse-html.ts';
import { callerOf } from '../parsers/check-parser-schema.ts';
import { toUnsavedParser } from '../parsers/parser-cache.ts';
import { readKeptPage, type PageServices } from '../storage/pages/read-pages.ts';
import { readParser } from '../parsers/read-parsers.ts';
import type { Context, Perform } from '../platform/context.ts';
import { countFitting } from '../platform/lists/page.ts';
import { withSlot } from '../runs/requests/take-slot.ts';
import type { RunServices } from '../runs/submission/run-services.ts';
import type { TaskTarget } from '../runs/tasks/task-spec.ts';
import { readTableRows, type TableServices } from './read-table-rows.ts';

/** Pages that a repair learns from, and those that it is tried on. */
const LEARNED = 5;
const VERIFIED = 10;
/** Pages of the examples in the answer. */
const SHOWN = 3;
/** Bytes of all pages but for the first one: they are in memory together. */
const MOST_BYTES = 32 * 1024 * 1024;

type RepairServices = ParsingServices & PageServices & RunServices & TableServices;

interface RunRow {
  no: string;
  target: TaskTarget;
  sink: Sink | null;
}

async function readBatch(ctx: Context, batch: string, parserId: string) {
  const [run] = await ctx.services.db.sql<RunRow[]>`
    SELECT no::text AS no, target, sink FROM gleaner.runs
    WHERE id = ${batch} AND account_id = ${ctx.accountId} AND kind = 'batch'`;
  if (!run) throw new AppError('not_found', { field: 'batch' });
  const { target, sink, no } = run;
  if (target.type !== 'parser' || target.parserId !== parserId)
    throw new AppError('not_found', { field: 'batch', detail: 'the batch ran another target' });
  if (sink?.mode !== 'database' || sink.rows !== undefined)
    throw invalid(
      'batch',
      'the batch has no table with one row per page, so there are no earlier rows to learn from',
    );
  return { no, version: target.version, sink };
}

/** Pages on which the parser failed or that were held back, which the table has a row for. */
function readPages(ctx: Context, no: string): Promise<{ id: string; url: string; size: number }[]> {
  return ctx.services.db.sql<{ id: string; url: string; size: number }[]>`
    SELECT p.id, p.url, p.size_bytes AS size FROM gleaner.kept_pages p
    LEFT JOIN gleaner.quarantined_rows q ON q.run_no = p.run_no AND q.seq = p.seq
    WHERE p.run_no = ${no} AND p.account_id = ${ctx.accountId} AND p.expires_at > now()
      AND (p.error IS NOT NULL OR q.seq IS NOT NULL)
    ORDER BY p.seq DESC LIMIT ${(LEARNED + VERIFIED) * 2}`;
}

/** How a proposal does on pages: the number of pages with a value by path, and what it reads beside earlier rows. */
async function tryOn(
  pool: ExtractionPool,
  schema: ParserSchema,
  pages: readonly RepairPage[],
  accountId: string,
) {
  const filled = new Map<string, number>();
  const read: { url: string; earlier: Examples; values: Record<string, unknown> }[] = [];
  const parserKey = toUnsavedParser(schema).key;
  for (const { earlier, ...page } of pages) {
    const { data, fields } = await pool.extract({ parserKey, schema, page, partial: true, owner: accountId });
    for (const { path, matched, value_count: count } of fields)
      if (matched && count > 0) filled.set(path, (filled.get(path) ?? 0) + 1);
    read.push({ url: page.url ?? '', earlier, values: data ?? {} });
  }
  return { filled, read };
}

/**
 * Proposes a schema after learning the broken fields again, from kept pages of a batch and the rows that the table
 * still has for them. A person accepts it by saving it.
 * @throws AppError not_found: no kept pages with earlier rows; extraction_failed
 */
export const proposeParserRepair: Perform<'proposeParserRepair', RepairServices> = async (
  ctx,
  { params, body },
) => {
  const { services, accountId } = ctx;
  const parser = await readParser(services.db.orm, accountId, params.id);
  const { no, version, sink } = await readBatch(ctx, body.batch, parser.id);
  const rows = await readPages(ctx, no);
  const urls = rows.map(({ url }) => url);
  const earlier = await readTableRows(ctx, sink, urls);
  const known = rows.filter(({ url }) => earlier.has(url)).slice(0, LEARNED + VERIFIED);
  const chosen = known.slice(0, countFitting(known, MOST_BYTES));
  if (chosen.length === 0)
    throw new AppError('not_found', {
      field: 'batch',
      detail: 'no kept page of the batch has an earlier row in its table',
    });
  const pages: RepairPage[] = [];
  for (const { id, url } of chosen) {
    // Examples that don't fit a page are not found on it.
    const { html, final_url: finalUrl } = await readKeptPage(services, accountId, id);
    const page = { body: html, url, finalUrl, composed: parser.composed };
    pages.push({ ...page, earlier: (earlier.get(url)?.data ?? {}) as Examples });
  }
  const { schema } = await services.parsers.load(parser.id, version);
  const learnedFrom = pages.slice(0, LEARNED);
  const others = pages.slice(LEARNED);
  return withSlot(ctx, async () => {
    const learned = await services.pool.repair(schema, learnedFrom, callerOf(ctx));
    if (!learned.ok) throw new AppError('extraction_failed', { detail: learned.detail });
    const proposal = learned.value;
    const tryProposal = (on: readonly RepairPage[]) =>
      tryOn(services.pool, proposal.schema ?? schema, proposal.schema === null ? [] : on, accountId);
    const { filled } = await tryProposal(others);
    const { read } = await tryProposal(learnedFrom.slice(0, SHOWN));
    return {
      schema: proposal.schema,
      version,
      fields: proposal.fields.map((field) => ({
        ...field,
        verified: others.length === 0 ? null : { pages: others.length, filled: filled.get(field.path) ?? 0 },
        examples: read.map(({ url, earlier: before, values }) => ({
          url,
          earlier: before[field.path] ?? null,
          read: values[field.path] ?? null,
        })),
      })),
      pages: chosen.slice(0, LEARNED).map(({ id }) => id),
    };
  });
};
