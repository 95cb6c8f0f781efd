import type {
  Batch,
  CrawlUrl,
  Cron,
  CronFiring,
  Job,
  ListedParser,
  ListedCronFiring,
  Operations,
  Parser,
  Workflow,
  WorkflowRun,
} from '@gleaner/client';
import { note, printFields, printRows } from '../terminal/output.ts';
import type { Row } from '../terminal/table.ts';

/** What the command line calls the operations under one path, and how it shows their records. */
export interface Group {
  /** The command, such as `db`. */
  word: string;
  about: string;
  /** One record: `database`. */
  one: string;
  /** Of its identifiers: `db_`. */
  prefix: string;
  /** A record as a line of a list. */
  row?(record: object): Row;
  /** Prints one record; without it what is read is JSON, and what is changed a line. */
  print?(record: object): void;
}

/** The groups by the first word of their paths, in the order of the help. */
export const GROUPS = {
  batches: {
    word: 'batch',
    about: 'batches: one target over many inputs',
    one: 'batch',
    prefix: 'bat_',
    row: batchRow,
    print: printBatch,
  },
  parsers: {
    word: 'parsers',
    about: 'parsers, also as files of a repository',
    one: 'parser',
    prefix: 'prs_',
    row: parserRow,
  },
  crons: {
    word: 'crons',
    about: 'crons: a target, its inputs and a schedule',
    one: 'cron',
    prefix: 'crn_',
    row: cronRow,
    print: printCron,
  },
  workflows: {
    word: 'workflows',
    about: 'workflows: stages that feed each other',
    one: 'workflow',
    prefix: 'wfl_',
    row: workflowRow,
  },
  'workflow-runs': {
    word: 'runs',
    about: 'workflow runs',
    one: 'run',
    prefix: 'run_',
    row: runRow,
    print: printRun,
  },
  crawls: {
    word: 'crawls',
    about: 'crawls and maps; `gleaner crawl` and `gleaner map` start them',
    one: 'crawl',
    prefix: 'run_',
    row: runRow,
    print: printRun,
  },
  jobs: {
    word: 'jobs',
    about: 'jobs: one target with one input, in the background',
    one: 'job',
    prefix: 'job_',
    row: jobRow,
  },
  databases: {
    word: 'db',
    about: 'databases that batches and crons write rows to',
    one: 'database',
    prefix: 'db_',
    row: databaseRow,
    print: printTables,
  },
  pages: { word: 'pages', about: 'pages that runs kept', one: 'page', prefix: 'pag_' },
  webhooks: {
    word: 'webhooks',
    about: 'calls to your server when work ends',
    one: 'webhook',
    prefix: 'whk_',
  },
  credits: { word: 'credits', about: 'balance and limits of the account', one: 'entry', prefix: '' },
  names: { word: 'names', about: 'names by identifiers', one: 'name', prefix: '' },
  schemas: { word: 'parsers', about: 'the schema language', one: 'schema', prefix: '' },
} satisfies Record<string, Group>;

/** Lines of lists that are not records of their group, by the name of the list. */
export const LINES: { readonly [list: string]: Group['row'] } = {
  versions: ({ version, is_current, restored_from, schema, created_at }: ParserVersion) => ({
    version,
    current: is_current ? 'yes' : 'no',
    'restored from': restored_from,
    fields: Object.keys(schema.fields).length,
    created: created_at,
  }),
  runs: ({ scheduled_at, outcome, reason, cause, run_id }: ListedCronFiring) => ({
    scheduled: scheduled_at,
    outcome,
    reason,
    cause,
    run: run_id,
  }),
  workflow_runs: runRow,
  urls: urlRow,
  failures: ({ stage, url, input, error, detail, attempts }: Failure) => ({
    ...(stage === undefined ? {} : { stage }),
    input: input ?? url,
    error,
    detail,
    attempts,
  }),
};

/** Answers that are not records of their group, by the operation. */
export const ANSWERS: { readonly [id: string]: Group['print'] } = { triggerCron: printFiring };

type Database = Operations['getDatabase']['answer'];
type ParserVersion = Operations['listParserVersions']['answer']['versions'][number];
type Failure = Operations['getBatchFailures']['answer']['failures'][number] & { stage?: string };

export function batchRow({ id, name, status, mode, counts, held, credits, created_at }: Batch): Row {
  const { total, succeeded, failed } = counts;
  return {
    id,
    name,
    status,
    mode,
    total,
    succeeded,
    failed,
    held,
    credits: credits.used,
    created: created_at,
  };
}

export function printBatch(batch: Batch): void {
  const { counts, credits, started_at, finished_at, expires_at } = batch;
  printFields({
    ...batchRow(batch),
    pending: counts.pending,
    running: counts.running,
    cancelled: counts.cancelled,
    reserved: credits.reserved,
    started: started_at,
    finished: finished_at,
    'results until': expires_at,
  });
}

function parserRow(parser: Parser | ListedParser): Row {
  const { id, name, version, updated_at: updated } = parser;
  const { length } = 'fields' in parser ? parser.fields : Object.keys(parser.schema.fields);
  return { id, name, version, fields: length, updated };
}

function cronRow({ id, name, schedule, timezone, enabled, next_run_at, last_firing }: Cron): Row {
  return {
    id,
    name,
    schedule,
    timezone,
    enabled: enabled ? 'yes' : 'no',
    next: next_run_at,
    last: last_firing?.run?.status ?? last_firing?.outcome,
    failed: last_firing?.run?.failed,
  };
}

export function printCron(cron: Cron): void {
  const { description, target, input_count, source, since, sink, overlap, paused_reason, failures } = cron;
  printFields({
    ...cronRow(cron),
    description,
    target,
    ...(source === null ? { inputs: input_count } : { source, since }),
    sink,
    overlap,
    failures,
    ...(paused_reason === null ? {} : { 'paused because': paused_reason }),
  });
}

function printFiring({ outcome, reason, run_id }: CronFiring): void {
  printFields({ outcome, reason, run: run_id });
  if (run_id?.startsWith('bat_') === true) note(`gleaner batch watch ${run_id}`);
}

export function workflowRow({ id, name, stages, updated_at }: Workflow): Row {
  return { id, name, stages: stages.map((stage) => stage.name).join(' → '), updated: updated_at };
}

function runRow({ id, kind, name, status, counts, held, credits, created_at }: WorkflowRun): Row {
  const { total, succeeded, failed } = counts;
  return {
    id,
    kind,
    name,
    status,
    total,
    succeeded,
    failed,
    held,
    credits: credits.used,
    created: created_at,
  };
}

/** What matters of an address that a crawl found. */
function urlRow({ url, status, depth, found, route, outcome }: CrawlUrl): Row {
  return { url, outcome, status, depth, found, route };
}

export function printRun(run: WorkflowRun): void {
  printFields({ ...runRow(run), ...(run.paused === null ? {} : { 'paused because': run.paused.reason }) });
  printRows(
    run.stages.flatMap(({ name, status, counts, waiting, crawl }) => [
      stageRow(name, status, counts, waiting),
      ...(crawl?.routes ?? []).map((route) => stageRow(`${name}/${route.name}`, status, route.counts)),
    ]),
  );
  for (const { crawl } of run.stages) {
    if (crawl === null) continue;
    const { page_limit, duplicates, over_limit, unfollowed_pages } = crawl;
    printFields({
      'limit of pages': page_limit,
      duplicates,
      'beyond the limit': over_limit,
      'pages with links beyond the depth': unfollowed_pages,
    });
  }
}

function stageRow(
  stage: string,
  status: string,
  { total, succeeded, failed }: WorkflowRun['counts'],
  waiting = 0,
): Row {
  return { stage, status, total, succeeded, failed, waiting };
}

export function jobRow({ id, status, url, input, credits_used, created_at }: Job): Row {
  return { id, status, input: url ?? input, credits: credits_used, created: created_at };
}

function databaseRow({ id, name, kind, schema, host, created_at }: Database): Row {
  return { id, name, kind, where: schema ?? host, created: created_at };
}

function printTables({ problem, tables }: Database): void {
  if (problem !== null) note(problem);
  printRows(
    (tables ?? []).map(({ name, rows, key, columns }) => ({
      table: name,
      rows,
      key: key.join(', '),
      columns: columns.map((column) => column.name).join(', '),
    })),
  );
}
