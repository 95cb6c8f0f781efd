import {
  CRAWL_SCOPES,
  ROBOTS_RULES,
  TEXT_EXPORT_FORMATS,
  type TextExportFormat,
  type UrlOutcome,
} from '@gleaner/contracts/values';
import { Option, type Command } from 'commander';
import type { Client, CrawlUrl, CreateMapInput, WorkflowRun } from '@gleaner/client';
import { EXIT, ExitCode } from '../exit-codes.ts';
import { note, plural, print, printJson, show } from '../terminal/output.ts';
import { wholeNumber } from '../numbers.ts';
import { saveDownload } from './batch-output.ts';
import { readRoutes, type CrawlRoute } from './crawl-routes.ts';
import { exportQuery, withExport, type ExportFlags } from './export-flags.ts';
import { collectValues, scrapeConfigOf, withPageOptions, type FetchFlags } from './fetch-options.ts';
import { exportFormatOf, withFollowOptions, type FollowFlags } from './follow-options.ts';
import { printRun } from './records.ts';
import { connect, serviceCommand, type ServiceFlags } from './service-command.ts';
import { sinkOf, withSinkOptions, type SinkFlags } from './target-options.ts';
import { watchWorkflowRun } from './workflows.ts';

type CrawlRules = NonNullable<CreateMapInput['crawl']>;

interface CrawlFlags extends FollowFlags, Omit<FetchFlags, 'robots'> {
  scope?: CrawlRules['scope'];
  include?: string[];
  exclude?: string[];
  depth?: number;
  next?: string[];
  feed?: string[];
  links: boolean;
  sitemaps: boolean;
  robots?: CrawlRules['robots'];
  pages?: number;
  maxCredits?: number;
  name?: string;
  detach?: boolean;
}

interface SiteFlags extends CrawlFlags, SinkFlags {
  route?: string[];
  dryRun?: boolean;
}

function withCrawlOptions(command: Command): Command {
  return withPageOptions(
    command
      .optionsGroup('Which pages:')
      .option('--pages <n>', 'at most this many pages (1000)', wholeNumber(1, 1e6))
      .option('--max-credits <n>', 'maximum credits that it may charge', wholeNumber(1, 1e9))
      .addOption(new Option('--scope <scope>', 'how far from the start (host)').choices(CRAWL_SCOPES))
      .option('--include <pattern>', 'only addresses like /product/*; can be repeated', collectValues)
      .option('--exclude <pattern>', 'no addresses like these; can be repeated', collectValues)
      .option('--depth <n>', 'links from the start (5)', wholeNumber(0, 1000))
      .option('--next <css>', 'links to the next page of a list, which add no depth', collectValues)
      .option('--feed <address>', 'also read this RSS, Atom or JSON feed; can be repeated', collectValues)
      .option('--no-links', 'follow no links: read sitemaps and feeds alone')
      .option('--no-sitemaps', 'read no sitemaps')
      .addOption(new Option('--robots <rule>', 'what robots.txt decides (enforce)').choices(ROBOTS_RULES))
      .option('--name <name>', 'name of the run')
      .option('-d, --detach', 'start it and do not follow it'),
  );
}

export function registerCrawls(program: Command): void {
  const crawl = serviceCommand(program, 'crawl', 'follow the links of a site and read its pages', [
    "crawl https://shop.example/ --route '/product/*=products' --csv > products.csv",
    "crawl https://shop.example/ --route '/product/*=product.json' --pages 50 --ndjson",
    'crawl https://blog.example/ --pages 100 -o pages.ndjson   # title and Markdown of each page',
  ])
    .argument('<pages...>', 'addresses where it starts')
    .option(
      '-r, --route <pattern=parser>',
      'read pages like these with a parser, or a schema in a .json file; can be repeated',
      collectValues,
    )
    .option('--dry-run', 'only read robots.txt and sitemaps: what it would start with; free');
  withSinkOptions(withFollowOptions(withCrawlOptions(crawl), 'crawl')).action(crawlSite);
  const map = serviceCommand(program, 'map', 'list the addresses of a site', [
    'map https://shop.example/',
    'map https://shop.example/ --no-links       # sitemaps alone: free',
    "map https://shop.example/ --include '/product/*' | gleaner batch submit -p products",
  ]).argument('<pages...>', 'addresses where it starts');
  withFollowOptions(withCrawlOptions(map), 'map').action(mapSite);
  const runs = program.commands.find((command) => command.name() === 'runs');
  if (!runs) throw new Error('workflows are registered before crawls');
  withExport(
    serviceCommand(runs, 'export', 'all results of a run without a sink as one stream', [
      'runs export run_01… > results.csv',
      'runs export run_01… --urls > urls.csv',
    ]).argument('<run>', 'identifier'),
    'results',
    TEXT_EXPORT_FORMATS,
  )
    .option('--urls', 'instead: the addresses that a crawl or map found')
    .action(exportRun);
}

/** What `crawl` and `map` have in common. */
function fieldsOf(start: readonly string[], flags: CrawlFlags): CreateMapInput {
  const { scope, include, exclude, depth, next, feed, links, sitemaps, robots, ...others } = flags;
  const { pages, maxCredits, name } = others;
  return {
    start,
    crawl: { scope, include, exclude, depth, next, robots, sources: { links, sitemaps, feeds: feed } },
    limits: { pages, credits: maxCredits },
    name,
    scrape_config: scrapeConfigOf(others),
  };
}

/** The routes with the sink of the flags: a table of each route's name, unless --table names one for all. */
async function withSinks(
  client: Client,
  routes: readonly CrawlRoute[],
  flags: SiteFlags,
): Promise<CrawlRoute[]> {
  const [first] = routes;
  const tableFlags =
    flags.database === undefined ? flags : { ...flags, table: flags.table ?? first?.name ?? '' };
  const sink = await sinkOf(client, tableFlags);
  if (sink?.mode !== 'database') return [...routes];
  return routes.map((route) => ({ ...route, sink: { ...sink, table: flags.table ?? route.name } }));
}

/**
 * Follows a run that was started, unless --detach; then writes what it gave.
 * @throws ExitCode when the crawl failed, or with --strict had a failure
 */
async function followCrawl(
  client: Client,
  made: WorkflowRun,
  flags: CrawlFlags & { start: readonly string[] },
  write: (run: WorkflowRun) => Promise<void>,
): Promise<void> {
  if (flags.detach === true) return show(made, flags.json, printRun);
  if (flags.quiet !== true) note(`${made.id}: ${made.kind} of ${flags.start.join(', ')}`);
  const run = await watchWorkflowRun(client, made.id, flags);
  await write(run);
  noteCrawl(run, flags);
  if (run.status !== 'succeeded' || (flags.strict === true && run.counts.failed > 0))
    throw new ExitCode(EXIT.runFailed);
}

async function crawlSite(start: string[], flags: SiteFlags): Promise<void> {
  const client = connect(flags);
  const format = exportFormatOf(flags);
  const routes = await withSinks(client, await readRoutes(client, flags.route ?? []), flags);
  const made = await client.crawls.create({ ...fieldsOf(start, flags), routes, dry_run: flags.dryRun });
  await followCrawl(client, made, { ...flags, start }, async (run) => {
    const keepsResults = run.kind === 'crawl' && run.stages.some(({ mode }) => mode === 'return');
    if (run.kind === 'map') await writeUrls(client, run, flags);
    else if (format !== undefined && keepsResults)
      await saveDownload(await client.workflowRuns.exportResults(run.id, { format }), flags.output);
    else show(run, flags.json, printRun);
  });
}

async function mapSite(start: string[], flags: CrawlFlags): Promise<void> {
  const client = connect(flags);
  const made = await client.crawls.createMap(fieldsOf(start, flags));
  await followCrawl(client, made, { ...flags, start }, (run) => writeUrls(client, run, flags));
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

async function exportRun(
  id: string,
  flags: ServiceFlags & ExportFlags<TextExportFormat> & { urls?: boolean },
): Promise<void> {
  const query = exportQuery(flags);
  const { workflowRuns } = connect(flags);
  const download =
    flags.urls === true ? workflowRuns.exportCrawlUrls(id, query) : workflowRuns.exportResults(id, query);
  await saveDownload(await download, flags.output);
}
