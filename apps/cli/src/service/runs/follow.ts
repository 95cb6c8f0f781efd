import type { Batch, Client, FailureCause, WaitOptions, WorkflowRun } from '@gleaner/client';
import type { TextExportFormat, UrlOutcome } from '@gleaner/contracts/values';
import type { Command } from 'commander';
import { EXIT, ExitCode } from '../../exit-codes.ts';
import { comeBackCommand } from '../../terminal/come-back.ts';
import { untilInterrupted } from '../../terminal/interrupt.ts';
import { note, plural, print, printJson, show } from '../../terminal/output.ts';
import { saveDownload } from '../../terminal/save-download.ts';
import { connect, type ServiceFlags } from '../connection/connect.ts';
import { serviceCommand } from '../connection/service-command.ts';
import { groupCommand } from '../operations/operation-commands.ts';
import { printBatch, printEndedJob, printRun } from '../records/records.ts';
import { exportFormatOf, withFollowOptions, type FollowFlags } from './follow-options.ts';
import { watchRun } from './watch-run.ts';

/** What batches and workflow runs have in common: the word of their commands, and their calls. */
interface Kind<R> {
  word: 'batch' | 'runs';
  calls: {
    waitFor(id: string, options: WaitOptions<R>): Promise<R>;
    failures(
      id: string,
      query: { limit: number },
      options?: object,
    ): PromiseLike<{ causes?: FailureCause[] }>;
  };
}

/** Follows a batch or a workflow run to its end with a progress bar. @throws ExitCode 130 after Ctrl-C */
function watch<R extends Batch | WorkflowRun>(
  { word, calls }: Kind<R>,
  id: string,
  { csv, ndjson, output, quiet, strict, json, service }: FollowFlags,
): Promise<R> {
  return watchRun<R>(
    {
      id,
      what: word === 'batch' ? word : 'run',
      waitFor: (options) => calls.waitFor(id, options),
      readCauses: async (signal) =>
        (await calls.failures(id, { limit: 1 }, { signal, retries: 0 })).causes ?? [],
      remarkOf: (run: Batch | WorkflowRun) =>
        'paused' in run && run.paused !== null ? `paused: ${run.paused.reason}` : undefined,
    },
    {
      isQuiet: quiet === true,
      comeBack: comeBackCommand([word, 'watch', id], { csv, ndjson, output, strict, json, service }),
    },
  );
}

/** The failures of a run by cause, on standard error. */
async function noteCauses<R>({ word, calls }: Kind<R>, id: string): Promise<void> {
  const { causes = [] } = await calls.failures(id, { limit: 1 });
  const { toShellWords } = await import('../operations/shell-words.ts');
  for (const { error, count, example } of causes) {
    const { detail, hint, url } = example;
    note(`  ${count} × ${error}${detail === undefined ? '' : `: ${detail}`}  (${url})`);
    if (hint !== undefined) note(`    ${toShellWords(hint)}`);
  }
  note(`All of them: gleaner ${word} failures ${id}`);
}

/** What else came of a crawl or map: parts of its line, and lines below. */
function crawlRemarks({ id, kind, stages }: WorkflowRun): { parts: string[]; lines: string[] } {
  const [stage] = stages;
  const crawl = stage?.crawl;
  if (!crawl) return { parts: [], lines: [] };
  const { duplicates, over_limit: beyond, page_limit: limit, unfollowed_pages: unfollowed } = crawl;
  const found = plural(beyond, 'address', 'addresses');
  // A map without links has no pages: it only finds addresses.
  const rest = limit === 0 ? `${found} found` : `${found} beyond the limit of ${plural(limit, 'page')}`;
  const parts = [...(duplicates > 0 ? [plural(duplicates, 'duplicate')] : []), ...(beyond > 0 ? [rest] : [])];
  const deep = `${plural(unfollowed, 'page')} at the greatest depth ${unfollowed === 1 ? 'links' : 'link'} to further pages: --depth or --next reaches them.`;
  const results = kind === 'crawl' ? `; its results: gleaner runs export ${id}` : '';
  return {
    parts,
    lines: [...(unfollowed > 0 ? [deep] : []), `Its addresses: gleaner runs urls ${id}${results}`],
  };
}

/** The end of a run on standard error. @throws ExitCode when it failed, or with --strict had a failure */
async function noteEnd<R extends Batch | WorkflowRun>(
  kind: Kind<R>,
  run: R,
  { quiet, strict }: FollowFlags,
): Promise<void> {
  const { id, status, credits, source } = run;
  const { succeeded, failed, cancelled } = run.counts;
  if (source?.error != null) note(`Its source failed: ${source.error}`);
  if (quiet !== true) {
    const isCrawl = 'kind' in run && run.kind !== 'workflow';
    const { parts, lines } = 'kind' in run ? crawlRemarks(run) : { parts: [], lines: [] };
    const counts = [
      isCrawl ? plural(succeeded, 'page') : `${succeeded} succeeded`,
      `${failed} failed`,
      ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
      `${plural(credits.used, 'credit')} used`,
    ];
    note(`${id} ${status}: ${[...counts, ...parts].join(', ')}`);
    if (failed > 0) await noteCauses(kind, id);
    for (const line of lines) note(line);
  }
  if (status !== 'succeeded' || (strict === true && failed + cancelled > 0))
    throw new ExitCode(EXIT.runFailed);
}

async function followBatch(client: Client, id: string, flags: FollowFlags): Promise<void> {
  const kind: Kind<Batch> = { word: 'batch', calls: client.batches };
  const format = exportFormatOf(flags);
  const batch = await watch(kind, id, flags);
  if (format === undefined) show(batch, flags.json, printBatch);
  else if (batch.mode === 'return')
    await saveDownload(await client.batches.export(id, { format }), flags.output);
  else note(`The rows are in the database: gleaner db export. ${id} keeps no results.`);
  await noteEnd(kind, batch, flags);
}

/** Addresses that a crawl would not read, or reads under another address. */
const LEFT_OUT: readonly unknown[] = [
  'failed',
  'duplicate',
  'excluded',
  'out_of_scope',
  'robots',
] satisfies UrlOutcome[];

/** The addresses of a map: one a line for the next command, or with --json all that is known. */
async function printUrls(client: Client, id: string, { json }: FollowFlags): Promise<void> {
  const urls: object[] = [];
  for await (const found of client.workflowRuns.listCrawlUrls(id, { limit: 100 })) {
    if (json === true) urls.push(found);
    else if (!LEFT_OUT.includes(found.outcome)) print(found.url);
  }
  if (json === true) printJson({ urls });
}

function exportRun(client: Client, { id, kind }: WorkflowRun, format: TextExportFormat) {
  const { exportCrawlUrls, exportResults } = client.workflowRuns;
  return kind === 'map' ? exportCrawlUrls(id, { format }) : exportResults(id, { format });
}

async function followRun(client: Client, id: string, flags: FollowFlags): Promise<void> {
  const kind: Kind<WorkflowRun> = { word: 'runs', calls: client.workflowRuns };
  const format = exportFormatOf(flags);
  const run = await watch(kind, id, flags);
  const hasResults = run.kind === 'map' || run.stages.some(({ mode }) => mode === 'return');
  if (format !== undefined && hasResults)
    await saveDownload(await exportRun(client, run, format), flags.output);
  else if (run.kind === 'map' && flags.urls === true) await printUrls(client, id, flags);
  else show(run, flags.json, printRun);
  await noteEnd(kind, run, flags);
}

async function followJob(client: Client, id: string, flags: ServiceFlags): Promise<void> {
  const remark = `The job ${id} continues. Follow it again with:\n  gleaner jobs watch ${id}`;
  let isKnown = false;
  const job = await untilInterrupted(remark, (signal) =>
    client.jobs.waitFor(id, {
      signal,
      onProgress: () => (isKnown = true),
      onTrouble: (error) => {
        if (!isKnown) throw error;
        note(`The service gives no answer (${error.code}); still waiting.`);
      },
    }),
  );
  show(job, flags.json, printEndedJob);
  if (job.status !== 'succeeded') throw new ExitCode(EXIT.runFailed);
}

/**
 * Follows a job, a batch or a workflow run to its end, and writes what it gave.
 * @throws ExitCode when it failed, with --strict had a failure, or after Ctrl-C
 */
export function follow(client: Client, id: string, flags: FollowFlags): Promise<void> {
  if (id.startsWith('job_')) return followJob(client, id, flags);
  return id.startsWith('run_') ? followRun(client, id, flags) : followBatch(client, id, flags);
}

export function registerWatching(program: Command): void {
  const watching = (
    group: 'batches' | 'workflow-runs' | 'jobs',
    about: string,
    examples: string[],
  ): Command =>
    serviceCommand(groupCommand(program, group), 'watch', about, examples)
      .argument('<id>', 'identifier')
      .action((id: string, flags: FollowFlags) => follow(connect(flags), id, flags));
  withFollowOptions(
    watching('batches', 'follow a batch to its end', [
      'batch watch bat_01…',
      'batch watch bat_01… --csv > out.csv',
    ]),
    'batch',
  );
  withFollowOptions(watching('workflow-runs', 'follow a run to its end', ['runs watch run_01…']), 'run');
  watching('jobs', 'wait for a job', ['jobs watch job_01…']);
}
