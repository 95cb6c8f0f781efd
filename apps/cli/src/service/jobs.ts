import { RUN_STATES } from '@gleaner/contracts';
import { Option, type Command } from 'commander';
import type { Job } from '@gleaner/client';
import { EXIT, ExitCode } from '../exit-codes.ts';
import { note, printFields, printJson, printRows } from '../terminal/output.ts';
import type { Row } from '../terminal/table.ts';
import { connect } from './connection.ts';
import { scrapeConfigOf, withFetchOptions, type FetchFlags } from './fetch-options.ts';
import { onInterrupt } from './interrupt.ts';
import { take, withLimit, type ListFlags } from './listing.ts';
import { parseParameters } from './parameters.ts';
import { serviceCommand, type ServiceFlags } from './service-command.ts';
import {
  sinkOf,
  targetOf,
  withSinkOptions,
  withTargetOptions,
  type SinkFlags,
  type TargetFlags,
} from './target-options.ts';

interface SubmitFlags extends ServiceFlags, TargetFlags, SinkFlags, FetchFlags {
  wait?: number;
  watch?: boolean;
}

function jobRow({ id, status, url, input, credits_used, created_at }: Job): Row {
  return { id, status, input: url ?? input, credits: credits_used, created: created_at };
}

function printJob(job: Job, json: boolean | undefined): void {
  if (json === true) return printJson(job);
  const { result, error, attempts, finished_at } = job;
  printFields({ ...jobRow(job), attempts, finished: finished_at, error: error?.error });
  if (result !== null) printJson(result);
}

/** Waits for a job and prints it. @throws ExitCode when it failed, or after Ctrl-C */
async function watchJob(id: string, flags: ServiceFlags): Promise<void> {
  const client = connect(flags);
  const stopping = new AbortController();
  const interrupt = onInterrupt(() => stopping.abort());
  try {
    const job = await client.jobs.waitFor(id, { signal: stopping.signal });
    printJob(job, flags.json);
    if (job.status !== 'succeeded') throw new ExitCode(EXIT.runFailed);
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    note(`The job ${id} continues. Follow it again with:\n  gleaner jobs watch ${id}`);
    throw new ExitCode(EXIT.interrupted);
  } finally {
    interrupt.forget();
  }
}

async function submit(inputs: string[], flags: SubmitFlags): Promise<void> {
  const client = connect(flags);
  const target = await targetOf(client, flags);
  const config = scrapeConfigOf(flags);
  const sink = await sinkOf(client, flags);
  const [url] = inputs;
  const job = await client.jobs.create({
    target,
    ...(target.type === 'api' ? { input: parseParameters(inputs) } : { url: url ?? '' }),
    ...(Object.keys(config).length === 0 ? {} : { scrape_config: config }),
    ...(sink === undefined ? {} : { sink }),
  });
  if (flags.watch === true) return watchJob(job.id, flags);
  printJob(job, flags.json);
}

export function registerJobs(program: Command): void {
  const jobs = program.command('jobs').description('jobs: one target with one input, in the background');
  const submitting = serviceCommand(jobs, {
    name: 'submit',
    description: 'run a target with one input',
    examples: [
      'jobs submit https://shop.example/p/1 --parser products --watch',
      'jobs submit username=nasa --api photoapp-profile',
    ],
  }).argument('<input...>', 'address of the page, or name=value of a prebuilt API');
  withSinkOptions(
    withFetchOptions(withTargetOptions(submitting).option('-w, --watch', 'wait for its result')),
  ).action(submit);
  withLimit(
    serviceCommand(jobs, { name: 'list', description: 'jobs, newest first', examples: ['jobs list'] }),
  )
    .addOption(new Option('--status <status>', 'only these').choices(RUN_STATES))
    .action(async (flags: ListFlags & { status?: 'running' }) => {
      const query = flags.status === undefined ? {} : { status: flags.status };
      const records = await take(connect(flags).jobs.list({ limit: 100, ...query }), flags);
      if (flags.json === true) printJson({ jobs: records });
      else printRows(records.map(jobRow));
    });
  serviceCommand(jobs, {
    name: 'get',
    description: 'one job with its result',
    examples: ['jobs get job_01… --json'],
  })
    .argument('<job>', 'identifier')
    .action(async (id: string, flags: ServiceFlags) =>
      printJob(await connect(flags).jobs.get(id), flags.json),
    );
  serviceCommand(jobs, { name: 'watch', description: 'wait for a job', examples: ['jobs watch job_01…'] })
    .argument('<job>', 'identifier')
    .action(watchJob);
  serviceCommand(jobs, { name: 'cancel', description: 'stop a job', examples: ['jobs cancel job_01…'] })
    .argument('<job>', 'identifier')
    .action(async (id: string, flags: ServiceFlags) =>
      printJob(await connect(flags).jobs.cancel(id), flags.json),
    );
}
