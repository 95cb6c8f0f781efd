import type { Command } from 'commander';
import type { Job } from '@gleaner/client';
import { EXIT, ExitCode } from '../exit-codes.ts';
import { note, printFields, printJson, show } from '../terminal/output.ts';
import { connect, serviceCommand, type ServiceFlags } from './service-command.ts';
import { withFetchOptions } from './fetch-options.ts';
import { untilInterrupted } from './interrupt.ts';
import { readParameters } from './parameters.ts';
import { GROUPS, jobRow } from './records.ts';
import { withSinkOptions, withTargetOptions, workOf, type WorkFlags } from './target-options.ts';

interface SubmitFlags extends ServiceFlags, WorkFlags {
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
  show(job, flags.json, printJob);
  if (job.status !== 'succeeded') throw new ExitCode(EXIT.runFailed);
}

async function submit(inputs: string[], flags: SubmitFlags): Promise<void> {
  const client = connect(flags);
  const work = await workOf(client, flags);
  const job = await client.jobs.create({
    ...work,
    ...(work.target.type === 'api' ? { input: await readParameters(inputs) } : { url: inputs[0] ?? '' }),
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
