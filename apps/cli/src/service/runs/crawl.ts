import { createCrawl, createMap, sinkSchema } from '@gleaner/contracts';
import type { UrlOutcome } from '@gleaner/contracts/values';
import type { Command } from 'commander';
import type { Client, CrawlUrl, CreateCrawlInput, WorkflowRun } from '@gleaner/client';
import { EXIT, ExitCode } from '../../exit-codes.ts';
import { note, plural, print, printJson, show } from '../../terminal/output.ts';
import { saveDownload } from '../../terminal/save-download.ts';
import { connect } from '../connection/connect.ts';
import { serviceCommand } from '../connection/service-command.ts';
import { withBody, type ReadBody } from '../operations/body-options.ts';
import { printRun } from '../records/records.ts';
import { readRoutes } from './crawl-routes.ts';
import { exportFormatOf, withFollowOptions, type FollowFlags } from './follow-options.ts';
import { watchWorkflowRun } from './watch-commands.ts';

interface CrawlFlags extends FollowFlags {
  route?: string[];
  detach?: boolean;
}

/**
 * Follows a run that was started, unless --detach; then writes what it gave.
 * @throws ExitCode when the crawl failed, or with --strict had a failure
 */
async function followCrawl(
  client: Client,
  made: WorkflowRun,
  flags: CrawlFlags & { start: readonly string[] },
): Promise<void> {
  if (flags.detach === true) return show(made, flags.json, printRun);
  if (flags.quiet !== true) note(`${made.id}: ${made.kind} of ${flags.start.join(', ')}`);
  const run = await watchWorkflowRun(client, made.id, flags);
  const format = exportFormatOf(flags);
  const keepsResults = run.kind === 'crawl' && run.stages.some(({ mode }) => mode === 'return');
  if (run.kind === 'map') await writeUrls(client, run, flags);
  else if (format !== undefined && keepsResults)
    await saveDownload(await client.workflowRuns.exportResults(run.id, { format }), flags.output);
  else show(run, flags.json, printRun);
  noteCrawl(run, flags);
  if (run.status !== 'succeeded' || (flags.strict === true && run.counts.failed > 0))
    throw new ExitCode(EXIT.runFailed);
}

/** The body of a crawl: its routes, with the sink's table of each route's name, unless --table names one for all. */
async function crawlOf(client: Client, body: object, flags: CrawlFlags): Promise<CreateCrawlInput> {
  const { sink, ...fields } = body as CreateCrawlInput & { sink?: { mode: string; table?: string } };
  const routes = fields.routes ?? (await readRoutes(client, flags.route ?? []));
  if (sink?.mode !== 'database') return { ...fields, routes };
  const own = routes.map((route) => ({ ...route, sink: { ...sink, table: sink.table ?? route.name } }));
  return { ...fields, routes: own as CreateCrawlInput['routes'] };
}

async function readSite(start: string[], flags: CrawlFlags, read: ReadBody, isMap: boolean): Promise<void> {
  const client = connect(flags);
  exportFormatOf(flags);
  const body = { ...(await read(client)), start };
  const made = await (isMap
    ? client.crawls.createMap(body)
    : client.crawls.create(await crawlOf(client, body, flags)));
  await followCrawl(client, made, { ...flags, start });
}

/** Addresses that a crawl would not read, or reads under another address. */
const LEFT_OUT: readonly unknown[] = [
  'failed',
  'duplicate',
  'excluded',
  'out_of_scope',
  'robots',
] satisfies UrlOutcome[];

/** The addresses of a map: one a line for the next command, or all that is known with --csv, --ndjson and --json. */
async function writeUrls(client: Client, { id }: WorkflowRun, flags: FollowFlags): Promise<void> {
  const format = exportFormatOf(flags);
  if (format !== undefined)
    return saveDownload(await client.workflowRuns.exportCrawlUrls(id, { format }), flags.output);
  const urls: CrawlUrl[] = [];
  for await (const found of client.workflowRuns.listCrawlUrls(id, { limit: 100 })) {
    if (flags.json === true) urls.push(found);
    else if (!LEFT_OUT.includes(found.outcome)) print(found.url);
  }
  if (flags.json === true) printJson({ urls });
}

/** What came of a crawl, in a line on standard error. */
function noteCrawl({ id, status, kind, counts, credits, stages }: WorkflowRun, flags: FollowFlags): void {
  if (flags.quiet === true) return;
  const crawl = stages[0]?.crawl;
  const beyond = crawl?.over_limit ?? 0;
  const found = plural(beyond, 'address', 'addresses');
  const limit = crawl?.page_limit ?? 0;
  const { succeeded, failed } = counts;
  const parts = [
    `${id} ${status}: ${plural(succeeded, 'page')}, ${failed} failed, ${plural(credits.used, 'credit')} used`,
  ];
  if (crawl && crawl.duplicates > 0) parts.push(plural(crawl.duplicates, 'duplicate'));
  // A map without links has no pages: it only finds addresses.
  if (beyond > 0)
    parts.push(limit === 0 ? `${found} found` : `${found} beyond the limit of ${plural(limit, 'page')}`);
  note(parts.join(', '));
  const unfollowed = crawl?.unfollowed_pages ?? 0;
  if (unfollowed > 0)
    note(
      `${plural(unfollowed, 'page')} at the greatest depth ${unfollowed === 1 ? 'links' : 'link'} to further pages: --depth or --next reaches them.`,
    );
  if (failed > 0) note(`Its failures: gleaner runs failures ${id}`);
  note(
    `Its addresses: gleaner runs urls ${id}${kind === 'crawl' ? `; its results: gleaner runs export ${id}` : ''}`,
  );
}

function siteCommand(program: Command, name: string, about: string, examples: readonly string[]): Command {
  return serviceCommand(program, name, about, examples)
    .argument('<pages...>', 'addresses where it starts')
    .option('-d, --detach', 'start it and do not follow it');
}

export function registerCrawls(program: Command, words: readonly string[]): void {
  const crawl = siteCommand(program, 'crawl', 'follow the links of a site and read its pages', [
    "crawl https://shop.example/ --route '/product/*=products' --csv > products.csv",
    "crawl https://shop.example/ --route '/product/*=product.json' --pages 50 --ndjson",
    'crawl https://blog.example/ --pages 100 -o pages.ndjson   # title and Markdown of each page',
  ]).option(
    '-r, --route <pattern=parser>',
    'read pages like these with a parser, or a schema in a .json file; can be repeated',
    (value: string, before: readonly string[] | undefined) => [...(before ?? []), value],
  );
  const readCrawl = withBody(crawl, createCrawl, {
    words,
    without: ['start'],
    further: { sink: sinkSchema },
  });
  withFollowOptions(crawl, 'crawl').action((start: string[], flags: CrawlFlags) =>
    readSite(start, flags, readCrawl, false),
  );
  const map = siteCommand(program, 'map', 'list the addresses of a site', [
    'map https://shop.example/',
    'map https://shop.example/ --no-links       # sitemaps alone: free',
    "map https://shop.example/ --include '/product/*' | gleaner batch submit -p products",
  ]);
  const readMap = withBody(map, createMap, { words, without: ['start'] });
  withFollowOptions(map, 'map').action((start: string[], flags: CrawlFlags) =>
    readSite(start, flags, readMap, true),
  );
}
