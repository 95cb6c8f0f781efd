import type { Batch, Client, WorkflowRun } from '@gleaner/client';
import type { Command } from 'commander';
import { EXIT, ExitCode } from '../../exit-codes.ts';
import { comeBackCommand } from '../../terminal/come-back.ts';
import { untilInterrupted } from '../../terminal/interrupt.ts';
import { note, plural, show } from '../../terminal/output.ts';
import { saveDownload } from '../../terminal/save-download.ts';
import { connect, type ServiceFlags } from '../connection/connect.ts';
import { serviceCommand } from '../connection/service-command.ts';
import { GROUPS, printBatch, printEndedJob, printRun } from '../records/records.ts';
import { exportFormatOf, withFollowOptions, type FollowFlags } from './follow-options.ts';
import { watchRun } from './watch-run.ts';

/** The end of a batch in a line, and its failures by cause, on standard error. */
async function noteEnd(client: Client, batch: Batch): Promise<void> {
  const { succeeded, failed, cancelled } = batch.counts;
  const others = cancelled > 0 ? `, ${cancelled} cancelled` : '';
  note(
    `${batch.id} ${batch.status}: ${succeeded} succeeded, ${failed} failed${others}, ${plural(batch.credits.used, 'credit')} used`,
  );
  if (failed === 0) return;
  const { causes = [] } = await client.batches.failures(batch.id, { limit: 1 });
  const { toShellWords } = await import('../operations/shell-words.ts');
  for (const { error, count, example } of causes) {
    const { detail, hint, url } = example;
    note(`  ${count} × ${error}${detail === undefined ? '' : `: ${detail}`}  (${url})`);
    if (hint !== undefined) note(`    ${toShellWords(hint)}`);
  }
  note(`All of them: gleaner batch failures ${batch.id}`);
}

/** Follows a batch to its end and writes its results. @throws ExitCode when the batch failed */
export async function followBatch(client: Client, id: string, flags: FollowFlags): Promise<void> {
  const format = exportFormatOf(flags);
  const isQuiet = flags.quiet === true;
  const { output, strict, service, json } = flags;
  const again = { csv: format === 'csv', ndjson: format === 'ndjson', output, strict, json, service };
  const batch = await watchRun<Batch>(
    {
      id,
      what: 'batch',
      waitFor: (options) => client.batches.waitFor(id, options),
      readCauses: async (signal) =>
        (await client.batches.failures(id, { limit: 1 }, { signal, retries: 0 })).causes ?? [],
    },
    { isQuiet, comeBack: comeBackCommand(['batch', 'watch', id], again) },
  );
  if (format !== undefined && batch.mode === 'return') {
    await saveDownload(await client.batches.export(id, { format }), flags.output);
  } else if (format !== undefined) {
    note(`The rows are in the database: gleaner db export. ${id} keeps no results.`);
  } else show(batch, flags.json, printBatch);
  if (batch.source?.error != null) note(`Its source failed: ${batch.source.error}`);
  if (!isQuiet) await noteEnd(client, batch);
  const hasFailures = batch.counts.failed + batch.counts.cancelled > 0;
  if (batch.status !== 'succeeded' || (flags.strict === true && hasFailures)) {
    throw new ExitCode(EXIT.runFailed);
  }
}

/** Follows a workflow run or a crawl to its end with a progress bar. @throws ExitCode 130 after Ctrl-C */
export function watchWorkflowRun(client: Client, id: string, flags: FollowFlags): Promise<WorkflowRun> {
  return watchRun<WorkflowRun>(
    {
      id,
      what: 'run',
      waitFor: (options) => client.workflowRuns.waitFor(id, options),
      remarkOf: ({ paused }) => (paused === null ? undefined : `paused: ${paused.reason}`),
    },
    {
      isQuiet: flags.quiet === true,
      comeBack: comeBackCommand(['runs', 'watch', id], { json: flags.json, service: flags.service }),
    },
  );
}

/** Follows a workflow run and prints it. @throws ExitCode when it failed, or after Ctrl-C */
export async function followRun(client: Client, id: string, flags: FollowFlags): Promise<void> {
  const run = await watchWorkflowRun(client, id, flags);
  show(run, flags.json, printRun);
  if (run.source?.error != null) note(`Its source failed: ${run.source.error}`);
  if (run.counts.failed > 0 && flags.quiet !== true) note(`Its failures: gleaner runs failures ${id}`);
  if (run.status !== 'succeeded') throw new ExitCode(EXIT.runFailed);
}

/** Waits for a job and prints what it read. @throws ExitCode when it failed, or after Ctrl-C */
export async function followJob(client: Client, id: string, flags: ServiceFlags): Promise<void> {
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

export function registerWatching(program: Command): void {
  const batch = program.command('batch').description(GROUPS.batches.about);
  withFollowOptions(
    serviceCommand(batch, 'watch', 'follow a batch to its end', [
      'batch watch bat_01…',
      'batch watch bat_01… --csv > out.csv',
    ]).argument('<batch>', 'identifier'),
    'batch',
  ).action((id: string, flags: FollowFlags) => followBatch(connect(flags), id, flags));
  const runs = program.command('runs').description(GROUPS['workflow-runs'].about);
  serviceCommand(runs, 'watch', 'follow a run to its end', ['runs watch run_01…'])
    .argument('<run>', 'identifier')
    .option('-q, --quiet', 'no progress')
    .action((id: string, flags: FollowFlags) => followRun(connect(flags), id, flags));
  const jobs = program.command('jobs').description(GROUPS.jobs.about);
  serviceCommand(jobs, 'watch', 'wait for a job', ['jobs watch job_01…'])
    .argument('<job>', 'identifier')
    .action((id: string, flags: ServiceFlags) => followJob(connect(flags), id, flags));
}
