import type { Batch, BatchFields, Client, CreateCrawlInput, DryRun, Job, WorkflowRun } from '@gleaner/client';
import { isObject } from '@gleaner/contracts/values';
import { Option, type Command } from 'commander';
import { collect } from '../../collect.ts';
import { Fault } from '../../fault.ts';
import { readJsonObject } from '../../read-file.ts';
import { untilInterrupted } from '../../terminal/interrupt.ts';
import { note, plural, printRows, show } from '../../terminal/output.ts';
import { connect, type ServiceFlags } from '../connection/connect.ts';
import { findId } from '../connection/find-id.ts';
import { serviceCommand } from '../connection/service-command.ts';
import {
  collectInputs,
  INPUT_FORMATS,
  openInputs,
  readInputs,
  type InputFormat,
} from '../inputs/read-inputs.ts';
import { readWords, type Body } from '../inputs/read-words.ts';
import { takesUrls } from '../inputs/takes-urls.ts';
import { append, withBody } from '../operations/body-options.ts';
import { groupCommand } from '../operations/operation-commands.ts';
import { toShellWords } from '../operations/shell-words.ts';
import { operationOf } from '../operations/table.ts';
import { pick } from '../records/columns.ts';
import { isDryRun, noteRefused, printDryRun } from '../records/print-dry-run.ts';
import { printBatch, printJob, printRun, WORKFLOW } from '../records/records.ts';
import { readRoutes } from './crawl-routes.ts';
import { follow } from './follow.ts';
import { exportFormatOf, withFollowOptions, type FollowFlags } from './follow-options.ts';

interface SubmitFlags extends FollowFlags {
  watch?: boolean;
  detach?: boolean;
  route?: string[];
  format?: InputFormat;
  skipInvalid?: boolean;
  idempotencyKey?: string;
}

/** A command that makes work, as it was called. */
interface Submission {
  client: Client;
  body: Body;
  words: string[];
  flags: SubmitFlags;
}

/** Whether the fields name the inputs themselves. @throws Fault when there are words as well */
function hasInputs({ body, words }: Submission): boolean {
  const own = ['source', 'urls', 'inputs', 'url', 'input'].find((name) => body[name] != null);
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

// The service checks each body, and names the field that is wrong.
function asInput<T>(body: Body): T {
  return body as T;
}

/** Sends the inputs as a file. Ctrl-C before the service has answered ends the upload, and no batch is made. */
async function upload({ client, body, words, flags }: Submission): Promise<Batch | DryRun> {
  const fields = asInput<BatchFields>(body);
  const inputs = await openInputs(words, flags.format);
  const { stream, format } = inputs;
  const file =
    format === 'csv'
      ? { content: stream, filename: 'inputs.csv', contentType: 'text/csv' }
      : {
          content:
            format === 'tsv'
              ? toNdjson(readInputs(inputs, fields.target?.type === 'parser', fields.carry != null))
              : stream,
          filename: 'inputs.ndjson',
          contentType: 'application/x-ndjson',
        };
  const remark =
    'Interrupted while the inputs were sent. `gleaner batch list` shows whether the batch was created.';
  const send = (signal: AbortSignal): Promise<Batch | DryRun> =>
    client.batches
      .createFromFile({ ...fields, file }, { signal, idempotencyKey: flags.idempotencyKey })
      .answer()
      .then(({ data, notes }) => {
        if (notes !== undefined) note(toShellWords(notes));
        return data;
      });
  return untilInterrupted(remark, send).finally(() => stream.destroy());
}

async function submitBatch(submission: Submission): Promise<Batch | DryRun> {
  const { client, body, flags } = submission;
  const made = hasInputs(submission)
    ? await client.batches.create(asInput(body), { idempotencyKey: flags.idempotencyKey })
    : await upload(submission);
  if (isDryRun(made)) return made;
  const { refused = [], refused_count = 0 } = made;
  noteRefused(refused);
  if (refused_count > 0) note(`${plural(refused_count, 'invalid input')} left out.`);
  const isFollowed = flags.watch === true && flags.quiet !== true;
  if (isFollowed)
    note(`${made.id}: ${made.source === null ? plural(made.counts.total, 'input') : 'reads its source'}`);
  return made;
}

async function submitJob(submission: Submission): Promise<Job | DryRun> {
  const { client, body, words } = submission;
  const { target } = body;
  const isApi = isObject(target) && target['type'] === 'api';
  if (!hasInputs(submission)) {
    if (words.length > 1 && !isApi) throw new Fault('A job has one input.', 'Submit a batch.');
    if (isApi) body['input'] = await readWords(words);
    else [body['url']] = words;
  }
  return client.jobs.create(asInput(body));
}

/** The inputs of a run as the service takes them: addresses alone, or objects. */
function split(inputs: readonly unknown[]): object {
  if (inputs.every((input) => typeof input === 'string')) return { urls: inputs };
  return { inputs: inputs.map((input) => (isObject(input) ? input : { url: input })) };
}

async function startRun(submission: Submission): Promise<WorkflowRun | DryRun> {
  const { client, flags, body } = submission;
  const [workflow = '', ...words] = submission.words;
  const id = await findId(client, 'workflows', workflow);
  if (!hasInputs({ ...submission, words })) {
    const takes = await takesUrls(client, { workflowId: id });
    Object.assign(
      body,
      split(
        await collectInputs(words, {
          takesUrls: takes,
          format: flags.format,
          isWhole: body['carry'] != null,
        }),
      ),
    );
  }
  return client.workflows.createRun(id, asInput(body));
}

/** Starts a crawl; its sink is that of each route, with a table of the route's name unless --table names one for all. */
async function startCrawl({ client, body, words, flags }: Submission): Promise<WorkflowRun> {
  const { sink, ...fields } = asInput<CreateCrawlInput & { sink?: { mode: string; table?: string } }>(body);
  const routes = fields.routes ?? (await readRoutes(client, flags.route ?? []));
  const own =
    sink?.mode === 'database'
      ? routes.map((route) => ({ ...route, sink: { ...sink, table: sink.table ?? route.name } }))
      : routes;
  return noteStart(
    await client.crawls.create(asInput({ ...fields, start: words, routes: own })),
    words,
    flags,
  );
}

async function startMap({ client, body, words, flags }: Submission): Promise<WorkflowRun> {
  return noteStart(await client.crawls.createMap(asInput({ ...body, start: words })), words, flags);
}

function noteStart(run: WorkflowRun, start: readonly string[], { detach, quiet }: SubmitFlags): WorkflowRun {
  if (detach !== true && quiet !== true) note(`${run.id}: ${run.kind} of ${start.join(', ')}`);
  return run;
}

function printMade(made: Job | Batch | WorkflowRun): void {
  if ('stages' in made) printRun(made);
  else if ('attempts' in made) printJob(made);
  else printBatch(made);
}

/** Gives a command the options of an operation, and what happens when it is called. */
function submits(
  command: Command,
  operation: string,
  without: readonly string[],
  start: (submission: Submission) => Promise<Job | Batch | WorkflowRun | DryRun>,
): void {
  const read = withBody(command, { ...operationOf(operation), without });
  command.action(async () => {
    const flags = command.opts<SubmitFlags>();
    const format = exportFormatOf(flags);
    const client = connect(flags);
    const words = (command.processedArgs as (string | string[] | undefined)[]).flatMap((word) => word ?? []);
    // `crawl` and `map` know --detach in place of --watch.
    const isSite = operation === 'createCrawl' || operation === 'createMap';
    const follows = isSite ? flags.detach !== true : (flags.watch ?? format !== undefined);
    const made = await start({
      client,
      body: await read(client),
      words,
      flags: { ...flags, watch: follows },
    });
    if (isDryRun(made)) printDryRun(made, flags);
    else if (follows) await follow(client, made.id, { ...flags, urls: isSite });
    else show(made, flags.json, printMade);
  });
}

/** Creates the workflow of a file, or changes the workflow with the same name. */
async function pushWorkflow(path: string, flags: ServiceFlags): Promise<void> {
  const client = connect(flags);
  const workflow = await readJsonObject(path, 'workflow');
  const named = await collect(client.workflows.list({ limit: 100 }));
  const known = named.find(({ name }) => name === workflow['name']);
  const saved = known
    ? await client.workflows.update(known.id, workflow)
    : await client.workflows.create(asInput(workflow));
  show(saved, flags.json, (record) => printRows([pick(record, WORKFLOW)]));
}

const INPUTS =
  'a file of lines, NDJSON, CSV, TSV or xlsx (- is standard input), addresses, or name=value of a prebuilt API';

function formatOption(): Option {
  return new Option('--format <format>', 'of the inputs; default by name and first line').choices(
    INPUT_FORMATS,
  );
}

function registerCrawls(program: Command): void {
  const about = 'addresses where it starts';
  const crawl = serviceCommand(program, 'crawl', 'follow the links of a site and read its pages', [
    "crawl https://shop.example/ --route '/product/*=products' --csv > products.csv",
    "crawl https://shop.example/ --route '/product/*=product.json' --pages 50 --ndjson",
    'crawl https://blog.example/ --pages 100 -o pages.ndjson   # title and Markdown of each page',
  ])
    .argument('<pages...>', about)
    .option('-d, --detach', 'start it and do not follow it')
    .option(
      '-r, --route <pattern=parser>',
      'read pages like these with a parser, or a schema in a .json file; can be repeated',
      append,
    );
  submits(crawl, 'createCrawl', ['start'], startCrawl);
  withFollowOptions(crawl, 'crawl');
  const map = serviceCommand(program, 'map', 'list the addresses of a site', [
    'map https://shop.example/',
    'map https://shop.example/ --no-links       # sitemaps alone: free',
    "map https://shop.example/ --include '/product/*' | gleaner batch submit -p products",
  ])
    .argument('<pages...>', about)
    .option('-d, --detach', 'start it and do not follow it');
  submits(map, 'createMap', ['start'], startMap);
  withFollowOptions(map, 'map');
}

/** Adds the commands that create a run of given inputs, and can follow it. */
export function registerSubmitting(program: Command): void {
  registerCrawls(program);
  const watching = 'follow it to its end; Ctrl-C leaves it running';
  const about = 'run a parser or a prebuilt API over many inputs';
  const batch = serviceCommand(groupCommand(program, 'batches'), 'submit', about, [
    'batch submit urls.txt --parser products',
    'batch submit urls.txt --parser products --dry-run',
    'batch submit names.csv --api photoapp-profile --database crm --table people --watch',
    'batch submit products.csv -p products --carry sku,category --database shop --table prices',
    'batch submit products.xlsx -p products --carry sku --database shop --table prices',
    'batch submit https://shop.example/p/1 https://shop.example/p/2 -p products --keep-pages all',
    'batch submit --sitemap https://shop.example/sitemap.xml --parser products --watch',
    'cat urls | gleaner batch submit --parser products --watch --csv > out.csv',
  ])
    .argument('[inputs...]', INPUTS)
    .option('--idempotency-key <key>', 'the same key creates nothing twice within 24 hours')
    .option('-w, --watch', watching)
    .addOption(formatOption());
  submits(batch, 'createBatch', ['urls', 'inputs'], submitBatch);
  withFollowOptions(batch, 'batch');
  const job = serviceCommand(groupCommand(program, 'jobs'), 'submit', 'run a target with one input', [
    'jobs submit https://shop.example/p/1 --parser products --watch',
    'jobs submit username=nasa --api photoapp-profile',
  ])
    .argument('[input...]', 'address of the page, or name=value of a prebuilt API')
    .option('-w, --watch', 'wait for its result, and print it as JSON');
  submits(job, 'createJob', ['input'], submitJob);
  const workflows = groupCommand(program, 'workflows');
  const run = serviceCommand(workflows, 'run', 'start a workflow', [
    'workflows run shop urls.txt --watch',
    'workflows run shop https://shop.example/',
    'workflows run shop --sitemap https://shop.example/sitemap.xml',
    'echo https://shop.example/ | gleaner workflows run shop',
  ])
    .argument('<workflow>', 'id, slug or name')
    .argument('[inputs...]', INPUTS)
    .option('-w, --watch', watching)
    .addOption(formatOption());
  submits(run, 'createWorkflowRun', ['urls', 'inputs'], startRun);
  withFollowOptions(run, 'run');
  serviceCommand(workflows, 'push', 'create the workflow of a JSON file, or change the one with its name', [
    'workflows push shop.json',
  ])
    .argument('<file>', 'name, stages and limits; - is standard input')
    .action(pushWorkflow);
}
