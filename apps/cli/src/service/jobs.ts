import type { Command } from 'commander';
import type { Job } from '@gleaner/client';
import { EXIT, ExitCode } from '../exit-codes.ts';
import { note, printFields, printJson, show } from '../terminal/output.ts';
import { connect, serviceCommand, type ServiceFlags } from './service-command.ts';
import { scrapeConfigOf, withFetchOptions, type FetchFlags } from './fetch-options.ts';
import { onInterrupt } from './interrupt.ts';
import { readParameters } from './parameters.ts';
import { GROUPS, jobRow } from './records.ts';
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

/** A job with its result. */
function printJob(job: Job): void {
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
    let isKnown = false;
    const job = await client.jobs.waitFor(id, {
      signal: stopping.signal,
      onProgress: () => (isKnown = true),
      onTrouble: (error) => {
        if (!isKnown) throw error;
        note(`The service gives no answer (${error.code}); still waiting.`);
      },
    });
    show(job, flags.json, printJob);
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
    ...(target.type === 'api' ? { input: await readParameters(inputs) } : { url: url ?? '' }),
    ...(Object.keys(config).length === 0 ? {} : { scrape_config: config }),
    ...(sink === undefined ? {} : { sink }),
  });
  if (flags.watch === true) return watchJob(job.id, flags);
  show(job, flags.json, printJob);
}

export function registerJobs(program: Command): void {
  const jobs = program.command('jobs').description(GROUPS.jobs.about);
  const submitting = serviceCommand(jobs, 'submit', 'run a target with one input', [
    'jobs submit https://shop.example/p/1 --parser products --watch',
    'jobs submit username=nasa --api photoapp-profile',
  ]).argument('<input...>', 'address of the page, or name=value of a prebuilt API');
  withSinkOptions(
    withFetchOptions(withTargetOptions(submitting).option('-w, --watch', 'wait for its result')),
  ).action(submit);
  serviceCommand(jobs, 'watch', 'wait for a job', ['jobs watch job_01…'])
    .argument('<job>', 'identifier')
    .action(watchJob);
}
