import {
  AppError,
  hasEnded,
  type CrawlUrl,
  type FoundBy,
  type RunState,
  type UrlOutcome,
} from '@gleaner/contracts';
import type { Context, Perform, Services } from '../../platform/context.ts';
import { decodePlaces, encodeCursor } from '../../platform/lists/page.ts';
import { cellParts } from '../../runs/batches/export-batch.ts';
import type { StageSpec } from '../../runs/stages/stage-spec.ts';
import { refuseDeleted } from '../../runs/submission/find-run.ts';
import { toOptionalTime } from '../../runs/submission/run-record.ts';
import { exportFile, writeBlocks } from '../../storage/exports/export-file.ts';
import type { SheetServices } from '../../storage/sheets/sheets.ts';

/** The letters of `frontier.found`; `i`, of sources that other sources name, is not listed. */
const FOUND: Readonly<Record<string, FoundBy>> = {
  s: 'start',
  l: 'link',
  n: 'next',
  m: 'sitemap',
  f: 'feed',
};

/** The letters of `frontier.outcome`; `a`, of other addresses of a page, is not listed. */
const OUTCOMES: Readonly<Record<UrlOutcome, string | null>> = {
  fetched: 'f',
  unchanged: 'u',
  failed: 'e',
  duplicate: 'd',
  excluded: 'x',
  out_of_scope: 'o',
  robots: 'r',
  // What has no outcome when the crawl is over.
  over_limit: null,
};
const BY_LETTER = new Map(Object.entries(OUTCOMES).map(([outcome, letter]) => [letter, outcome]));

/** A crawl with what is needed to list its addresses. */
interface FoundCrawl {
  runNo: string;
  sourcesNo: string | null;
  isOver: boolean;
  routes: readonly string[];
}

/** @throws AppError not_found: absent, another account's, no crawl, or removed */
async function findCrawl(ctx: Context, id: string): Promise<FoundCrawl> {
  const [row] = await ctx.services.db.sql<
    (Pick<FoundCrawl, 'runNo' | 'sourcesNo'> & {
      state: RunState;
      plan: StageSpec;
      expired: boolean;
      deleted: boolean;
    })[]
  >`
    SELECT c.run_no::text AS "runNo", c.sources_no::text AS "sourcesNo", r.state, s.plan, coalesce(r.finished_at < now() - interval '24 hours', false) AS expired, r.expires_at IS NOT NULL AS deleted
    FROM gleaner.workflow_runs w JOIN gleaner.runs r ON r.no = w.no JOIN gleaner.crawls c ON c.root_no = w.no
    JOIN gleaner.stages s ON s.run_no = c.run_no
    WHERE w.id = ${id} AND w.account_id = ${ctx.accountId}`;
  if (!row) throw new AppError('not_found', { detail: 'there is no crawl or map with this identifier' });
  refuseDeleted(row);
  if (row.expired)
    throw new AppError('not_found', {
      detail: 'the addresses were removed 24 hours after the end of the run',
    });
  const { crawl } = row.plan;
  return { ...row, isOver: hasEnded(row.state), routes: crawl?.role === 'pages' ? crawl.routes : [] };
}

interface UrlRow {
  depth: number;
  number: number;
  url: string;
  status: number | null;
  found: string;
  outcome: string | null;
  route: number | null;
  modified: string | null;
  canonical: string | null;
  noindex: boolean;
  found_on: string | null;
}

interface UrlFilter {
  outcome?: UrlOutcome | undefined;
  route?: string | undefined;
}

type Place = readonly [depth: number, number: number];
const START: Place = [-1, -1];

/**
 * Addresses in the order of the crawl. While it goes on, they end with the last one that was decided: what comes before it
 * changes no more, so a walk misses nothing.
 */
async function readUrls(
  { services: { db } }: Context,
  crawl: FoundCrawl,
  { outcome, route }: UrlFilter,
  { after: [depth, number], limit }: { after: Place; limit: number },
): Promise<UrlRow[]> {
  const { runNo, sourcesNo, isOver, routes } = crawl;
  const letter = outcome === undefined ? undefined : OUTCOMES[outcome];
  const ofOutcome =
    outcome === undefined ? db.sql`true` : db.sql`f.outcome IS NOT DISTINCT FROM ${letter ?? null}::"char"`;
  const ofRoute = route === undefined ? db.sql`true` : db.sql`f.route = ${routes.indexOf(route)}`;
  const isDecided = isOver
    ? db.sql`true`
    : db.sql`(f.depth, f.number) <= (SELECT c.depth, c.number FROM gleaner.crawls c WHERE c.run_no = ${runNo})`;
  return db.sql<UrlRow[]>`
    SELECT f.depth, f.number, f.url, f.status, f.found, f.outcome, f.route, f.modified, f.canonical, f.noindex,
      CASE WHEN f.found IN ('m', 'f') THEN substr(t.input, strpos(t.input, ' ') + 1) ELSE t.input END AS found_on
    FROM (
      SELECT * FROM gleaner.frontier f
      WHERE f.run_no = ${runNo} AND f.depth >= 0 AND (f.depth, f.number) > (${depth}, ${number})
        AND f.outcome IS DISTINCT FROM 'a' AND ${ofOutcome} AND ${ofRoute} AND ${isDecided}
      ORDER BY f.depth, f.number LIMIT ${limit}
    ) f
    LEFT JOIN LATERAL (
      SELECT n.input FROM gleaner.tasks n WHERE n.seq = f.found_on
        AND n.run_no = CASE WHEN f.found IN ('m', 'f') THEN ${sourcesNo}::bigint ELSE ${runNo}::bigint END LIMIT 1
    ) t ON true
    ORDER BY f.depth, f.number`;
}

function toUrl(row: UrlRow, { isOver, routes }: FoundCrawl): CrawlUrl {
  const outcome = BY_LETTER.get(row.outcome) as UrlOutcome | undefined;
  return {
    url: row.url,
    status: row.status,
    depth: row.depth,
    found: FOUND[row.found] ?? 'link',
    found_on: row.found_on,
    route: row.route === null ? null : (routes[row.route] ?? null),
    outcome: outcome === 'over_limit' && !isOver ? null : (outcome ?? null),
    last_modified: toOptionalTime(row.modified),
    canonical: row.canonical,
    noindex: row.noindex,
  };
}

/** A page of the addresses. @throws AppError not_found */
export const listCrawlUrls: Perform<'listCrawlUrls'> = async (ctx, { params, query }) => {
  const { limit, cursor } = query;
  const crawl = await findCrawl(ctx, params.id);
  const [depth = -1, number = -1] = cursor === undefined ? START : decodePlaces('urls', cursor, 2);
  const rows = await readUrls(ctx, crawl, query, { after: [depth, number], limit: limit + 1 });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const isLast = crawl.isOver && rows.length <= limit;
  const next = last ? [last.depth, last.number] : [depth, number];
  return {
    urls: page.map((row) => toUrl(row, crawl)),
    ...(isLast ? {} : { cursor: encodeCursor('urls', next) }),
  };
};

/** Rows of one read. The next read begins after the client received these. */
const BLOCK = 1_000;

async function* readBlocks(ctx: Context, crawl: FoundCrawl, filter: UrlFilter): AsyncGenerator<CrawlUrl[]> {
  let after = START;
  for (;;) {
    const rows = await readUrls(ctx, crawl, filter, { after, limit: BLOCK });
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map((row) => toUrl(row, crawl));
    if (rows.length < BLOCK) return;
    after = [last.depth, last.number];
  }
}

const COLUMNS = [
  'url',
  'status',
  'depth',
  'found',
  'found_on',
  'route',
  'outcome',
  'last_modified',
  'canonical',
  'noindex',
] as const satisfies readonly (keyof CrawlUrl)[];

/** All addresses as a stream, read at the client's pace. @throws AppError not_found */
export const exportCrawlUrls: Perform<'exportCrawlUrls', Services & SheetServices> = async (
  ctx,
  { params, query },
) => {
  const blocks = readBlocks(ctx, await findCrawl(ctx, params.id), query);
  const { format, formulas } = query;
  const file = (parts: AsyncIterable<string | Uint8Array>) => exportFile(`${params.id}-urls`, query, parts);
  if (format === 'ndjson')
    return file(writeBlocks(blocks, (urls) => urls.map((url) => `${JSON.stringify(url)}\n`).join('')));
  const rows = writeBlocks(blocks, (urls) => urls.map((url) => COLUMNS.map((column) => url[column])));
  return file(await cellParts(ctx, { format, formulas, names: COLUMNS }, rows));
};
