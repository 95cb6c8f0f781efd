import { createBatch, createJob, createWorkflowRun, type Operation } from '@gleaner/contracts';
import type {
  Batch,
  BatchFields,
  Client,
  CreateBatchInput,
  CreateJobInput,
  CreateWorkflowInput,
  CreateWorkflowRunInput,
  DryRun,
} from '@gleaner/client';
import { isObject } from '@gleaner/contracts/values';
import { Option, type Command } from 'commander';
import { collect } from '../../collect.ts';
import { Fault } from '../../fault.ts';
import { readJsonObject } from '../../read-file.ts';
import { untilInterrupted } from '../../terminal/interrupt.ts';
import { note, plural, printFields, printRows, show } from '../../terminal/output.ts';
import { connect, type ServiceFlags } from '../connection/connect.ts';
import { findId } from '../connection/find-id.ts';
import { serviceCommand } from '../connection/service-command.ts';
import {
  collectInputs,
  INPUT_FORMATS,
  openInputs,
  readInputs,
  type InputFormat,
  type OpenedInputs,
} from '../inputs/read-inputs.ts';
import { readParameters } from '../inputs/read-words.ts';
import { takesUrls } from '../inputs/takes-urls.ts';
import { withBody, type ReadBody } from '../operations/body-options.ts';
import { pick } from '../records/columns.ts';
import { noteRefused, printDryRun } from '../records/print-dry-run.ts';
import { GROUPS, JOB, printBatch, printRun, WORKFLOW } from '../records/records.ts';
import { exportFormatOf, withFollowOptions, type FollowFlags } from './follow-options.ts';
import { followBatch, followJob, followRun } from './watch-commands.ts';

interface SubmitFlags extends FollowFlags {
  format?: InputFormat;
  skipInvalid?: boolean;
  idempotencyKey?: string;
}

/** Adds the options of an operation's body besides its inputs, which are words. */
function withWork(command: Command, operation: Operation, words: readonly string[]): ReadBody {
  return withBody(command, operation, { words, without: ['urls', 'inputs'] });
}

/** Whether the fields name the inputs themselves. @throws Fault when there are words as well */
function hasInputs(fields: Readonly<Record<string, unknown>>, words: readonly string[]): boolean {
  const own = ['source', 'urls', 'inputs', 'url', 'input'].find((name) => fields[name] != null);
  if (own === undefined) return false;
  if (words.some((word) => word !== '-'))
    throw new Fault(
      own === 'source'
        ? 'A file, or --sitemap or --feed: not both.'
        : `Inputs as words, or ${own}: not both.`,
    );
  return true;
}

async function* toNdjson(inputs: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const input of inputs) yield Buffer.from(`${JSON.stringify(input)}\n`);
}

/** Sends the inputs. Ctrl-C before the service has answered ends the upload, and no batch is made. */
async function upload(
  client: Client,
  fields: BatchFields,
  { inputs, key }: { inputs: OpenedInputs; key: string | undefined },
): Promise<Batch | DryRun> {
  const { stream, format } = inputs;
  const takes = fields.target?.type === 'parser';
  const file =
    format === 'csv'
      ? { content: stream, filename: 'inputs.csv', contentType: 'text/csv' }
      : {
          content: format === 'tsv' ? toNdjson(readInputs(inputs, takes)) : stream,
          filename: 'inputs.ndjson',
          contentType: 'application/x-ndjson',
        };
  const remark =
    'Interrupted while the inputs were sent. `gleaner batch list` shows whether the batch was created.';
  const send = (signal: AbortSignal): Promise<Batch | DryRun> =>
    client.batches.createFromFile({ ...fields, file }, { signal, idempotencyKey: key });
  return untilInterrupted(remark, send).finally(() => stream.destroy());
}

async function submitBatch(words: readonly string[], flags: SubmitFlags, read: ReadBody): Promise<void> {
  const client = connect(flags);
  const follows = flags.watch === true || exportFormatOf(flags) !== undefined;
  const fields = (await read(client)) as unknown as CreateBatchInput;
  const { idempotencyKey: key } = flags;
  const made = hasInputs({ ...fields }, words)
    ? await client.batches.create(fields, { idempotencyKey: key })
    : await upload(client, fields, { inputs: await openInputs(words, flags.format), key });
  if ('dry_run' in made) return printDryRun(made, flags);
  const { refused = [], refused_count = 0 } = made;
  noteRefused(refused);
  if (refused_count > 0) note(`${plural(refused_count, 'invalid input')} left out.`);
  if (!follows) return show(made, flags.json, printBatch);
  if (flags.quiet !== true)
    note(`${made.id}: ${made.source === null ? plural(made.counts.total, 'input') : 'reads its source'}`);
  await followBatch(client, made.id, flags);
}

async function submitJob(words: readonly string[], flags: FollowFlags, read: ReadBody): Promise<void> {
  const client = connect(flags);
  const fields = (await read(client)) as unknown as CreateJobInput;
  if (!hasInputs({ ...fields }, words)) {
    if (fields.target?.type === 'api') fields.input = await readParameters(words);
    else [fields.url] = words;
    if (words.length > 1 && fields.target?.type !== 'api')
      throw new Fault('A job has one input.', 'Submit a batch.');
  }
  const job = await client.jobs.create(fields);
  if ('dry_run' in job) return printDryRun(job, flags);
  if (flags.watch === true) return followJob(client, job.id, flags);
  show(job, flags.json, (record) => printFields(pick(record, `${JOB} attempts`)));
}

/** The inputs of a run as the service takes them: addresses alone, or objects. */
function split(inputs: readonly unknown[]): { urls: string[] } | { inputs: Record<string, unknown>[] } {
  const urls = inputs.filter((input) => typeof input === 'string');
  if (urls.length === inputs.length) return { urls };
  return { inputs: inputs.map((input) => (isObject(input) ? input : { url: input })) };
}

async function startRun(
  workflow: string,
  words: readonly string[],
  { flags, read }: { flags: SubmitFlags; read: ReadBody },
): Promise<void> {
  const client = connect(flags);
  const id = await findId(client, 'workflows', workflow);
  const fields = await read(client);
  const { format } = flags;
  const given = hasInputs(fields, words)
    ? {}
    : split(
        await collectInputs(words, {
          takesUrls: await takesUrls(client, { type: 'workflow', workflowId: id }),
          format,
        }),
      );
  const body: CreateWorkflowRunInput = { ...fields, ...given };
  const made = await client.workflows.createRun(id, body);
  if ('dry_run' in made) return printDryRun(made, flags);
  if (flags.watch === true) return followRun(client, made.id, flags);
  show(made, flags.json, printRun);
}

/** Creates the workflow of a file, or changes the workflow with the same name. */
async function pushWorkflow(path: string, flags: ServiceFlags): Promise<void> {
  const client = connect(flags);
  // The service checks the stages, and names the field that is wrong.
  const workflow = (await readJsonObject(path, 'workflow')) as unknown as CreateWorkflowInput;
  const named = await collect(client.workflows.list({ limit: 100 }));
  const known = named.find(({ name }) => name === workflow.name);
  const saved = known
    ? await client.workflows.update(known.id, workflow)
    : await client.workflows.create(workflow);
  show(saved, flags.json, (record) => printRows([pick(record, WORKFLOW)]));
}

const INPUTS =
  'a file of lines, NDJSON, CSV or TSV (- is standard input), addresses, or name=value of a prebuilt API';

function groupOf(program: Command, { word, about }: { word: string; about: string }): Command {
  return program.commands.find((one) => one.name() === word) ?? program.command(word).description(about);
}

function withFormat(command: Command): Command {
  const format = new Option('--format <format>', 'of the inputs; default by name and first line');
  return command.addOption(format.choices(INPUT_FORMATS));
}

/** Adds the commands that create a run of given inputs, and can follow it. */
export function registerSubmitting(program: Command, called: readonly string[]): void {
  const batch = serviceCommand(
    groupOf(program, GROUPS.batches),
    'submit',
    'run a parser or a prebuilt API over many inputs',
    [
      'batch submit urls.txt --parser products',
      'batch submit urls.txt --parser products --dry-run',
      'batch submit names.csv --api photoapp-profile --database crm --table people --watch',
      'batch submit https://shop.example/p/1 https://shop.example/p/2 -p products --keep-pages all',
      'batch submit --sitemap https://shop.example/sitemap.xml --parser products --watch',
      'cat urls | gleaner batch submit --parser products --watch --csv > out.csv',
    ],
  )
    .argument('[inputs...]', INPUTS)
    .option('--idempotency-key <key>', 'the same key creates nothing twice within 24 hours')
    .option('-w, --watch', 'follow the batch to its end; Ctrl-C leaves it running');
  const readBatch = withWork(withFormat(batch), createBatch, called);
  withFollowOptions(batch, 'batch').action((words: string[], flags: SubmitFlags) =>
    submitBatch(words, flags, readBatch),
  );
  const job = serviceCommand(groupOf(program, GROUPS.jobs), 'submit', 'run a target with one input', [
    'jobs submit https://shop.example/p/1 --parser products --watch',
    'jobs submit username=nasa --api photoapp-profile',
  ])
    .argument('[input...]', 'address of the page, or name=value of a prebuilt API')
    .option('-w, --watch', 'wait for its result, and print it as JSON');
  const readJob = withBody(job, createJob, { words: called, without: ['input'] });
  job.action((words: string[], flags: FollowFlags) => submitJob(words, flags, readJob));
  const workflows = groupOf(program, GROUPS.workflows);
  const run = serviceCommand(workflows, 'run', 'start a workflow', [
    'workflows run shop urls.txt --watch',
    'workflows run shop https://shop.example/',
    'workflows run shop --sitemap https://shop.example/sitemap.xml',
    'echo https://shop.example/ | gleaner workflows run shop',
  ])
    .argument('<workflow>', 'id, slug or name')
    .argument('[inputs...]', INPUTS)
    .option('-w, --watch', 'follow the run to its end; Ctrl-C leaves it running')
    .option('-q, --quiet', 'no progress');
  const readRun = withWork(withFormat(run), createWorkflowRun, called);
  run.action((workflow: string, words: string[], flags: SubmitFlags) =>
    startRun(workflow, words, { flags, read: readRun }),
  );
  serviceCommand(workflows, 'push', 'create the workflow of a JSON file, or change the one with its name', [
    'workflows push shop.json',
  ])
    .argument('<file>', 'name, stages and limits; - is standard input')
    .action(pushWorkflow);
}
