import type { Cron, CronFiring, Job, Operations, WorkflowRun } from '@gleaner/client';
import { note, print, printFields, printJson, printRows } from '../../terminal/output.ts';
import type { Row } from '../../terminal/table.ts';
import { pick } from './columns.ts';

/** What the command line calls the operations under one path, and how it shows their records. */
export interface Group {
  /** The command, such as `db`. */
  word: string;
  about: string;
  /** One record: `database`. */
  one: string;
  /** The beginning of its identifiers: `db_`. */
  prefix: string;
  /** The columns of a record in a list, as `pick` takes them. */
  columns?: string | undefined;
  /** Prints one record; without it what is read is JSON, and what is changed a line. */
  print?(record: object): void;
}

const COUNTS =
  'total=counts.total succeeded=counts.succeeded failed=counts.failed held? credits=credits.used created=created_at rows_kept=counts.rows_kept? new=rows.new? changed=rows.changed? removed=rows.removed? returned=rows.returned?';
const RUN = `id kind name status ${COUNTS}`;
const BATCH = `id name status mode ${COUNTS}`;
const CRON =
  'id name schedule timezone enabled next=next_run_at last=last_firing.run.status|last_firing.outcome failed=last_firing.run.failed?';
export const WORKFLOW = 'id name stages=stages.name updated=updated_at';
const JOB = 'id status input=url|input credits=credits_used created=created_at';

const API = 'id name credits description';
const PARSER = 'id name version fields=#fields|#schema.fields updated=updated_at';
const DATABASE = 'id name kind where=schema|host created=created_at';

function group(
  [word, one, prefix]: readonly [word: string, one: string, prefix: string],
  about: string,
  columns?: string,
  print?: Group['print'],
): Group {
  return { word, about, one, prefix, columns, ...(print && { print }) };
}

/** The groups by the first word of their paths. */
export const GROUPS = {
  batches: group(['batch', 'batch', 'bat_'], 'batches: one target over many inputs', BATCH, printBatch),
  parsers: group(['parsers', 'parser', 'prs_'], 'parsers, also as files of a repository', PARSER),
  crons: group(['crons', 'cron', 'crn_'], 'crons: a target, its inputs and a schedule', CRON, printCron),
  workflows: group(['workflows', 'workflow', 'wfl_'], 'workflows: stages that feed each other', WORKFLOW),
  'workflow-runs': group(['runs', 'run', 'run_'], 'workflow runs', RUN, printRun),
  crawls: group(
    ['crawls', 'crawl', 'run_'],
    'crawls and maps; `gleaner crawl` and `gleaner map` start them',
    RUN,
    printRun,
  ),
  jobs: group(['jobs', 'job', 'job_'], 'jobs: one target with one input, in the background', JOB),
  databases: group(['db', 'database', 'db_'], 'databases that batches and crons write rows to', DATABASE),
  pages: group(['pages', 'page', 'pag_'], 'pages that runs kept'),
  alerts: group(
    ['alerts', 'alert', 'alr_'],
    'messages in Slack, Discord, ntfy or e-mail when something fails or ends',
    'id name to=to.type where=to.shown confirmed enabled',
  ),
  webhooks: group(['webhooks', 'webhook', 'whk_'], 'calls to your server when work ends'),
  credits: group(['credits', 'entry', ''], 'balance and limits of the account'),
  usage: group(['credits', 'line', ''], 'what was used'),
  apis: group(['apis', 'api', ''], 'prebuilt APIs of five sites', API),
  collections: group(
    ['collections', 'collection', ''],
    'crons and tables of parsers, with their latest runs',
    'id kind name table? next=next_run_at runs=#runs credits',
  ),
  overview: group(['overview', 'overview', ''], 'what failed, what paused itself and what runs next'),
  names: group(['names', 'name', ''], 'names by identifiers'),
  schemas: group(['parsers', 'schema', ''], 'the schema language'),
} as const satisfies Record<string, Group>;

export type GroupName = keyof typeof GROUPS;

/** Columns of lists that are not records of their group, by the name of the list. */
export const LISTS: Readonly<Record<string, string>> = {
  versions: 'version current=is_current restored_from fields=#schema.fields created=created_at',
  runs: 'scheduled=scheduled_at outcome reason cause run=run_id state=run.status new=run.rows.new? changed=run.rows.changed? removed=run.rows.removed?',
  workflow_runs: RUN,
  usage:
    'from key=key_id? parser=parser_id? cron=cron_id? host? succeeded=pages.succeeded failed=pages.failed credits',
  urls: 'url outcome status depth found route',
  failures: 'stage? input=input|url error detail attempts',
};

/** Answers that are not records of their group, by the operation. */
export const ANSWERS: { readonly [id: string]: Group['print'] } = {
  triggerCron: printFiring,
  getDatabase: printTables,
  getApi: printApi,
  listApis: ({ apis }: Operations['listApis']['answer']) => printRows(apis.map((api) => pick(api, API))),
  previewCron: ({ times, note: remark }: Operations['previewCron']['answer']) => {
    for (const time of times) print(time);
    if (remark !== null) note(remark);
  },
};

export function printBatch(batch: object): void {
  const further =
    'pending=counts.pending running=counts.running cancelled=counts.cancelled reserved=credits.reserved';
  const times = 'started=started_at finished=finished_at results_until=expires_at';
  printFields(pick(batch, `${BATCH} ${further} ${times}`));
}

function printCron(cron: Cron): void {
  const inputs = cron.source === null ? 'inputs=input_count' : 'source since';
  const rules = 'sink overlap failures paused_because=paused_reason?';
  printFields(pick(cron, `${CRON} description target ${inputs} ${rules}`));
}

function printFiring({ outcome, reason, run_id }: CronFiring): void {
  printFields({ outcome, reason, run: run_id });
  if (run_id?.startsWith('bat_') === true) note(`gleaner batch watch ${run_id}`);
}

export function printRun(run: WorkflowRun): void {
  printFields(pick(run, `${RUN} paused_because=paused.reason?`));
  const stageRow = (stage: object): Row =>
    pick(
      stage,
      'stage=name status total=counts.total succeeded=counts.succeeded failed=counts.failed waiting',
    );
  printRows(
    run.stages.flatMap((stage) => [
      stageRow(stage),
      ...(stage.crawl?.routes ?? []).map(({ name, counts }) =>
        stageRow({ name: `${stage.name}/${name}`, status: stage.status, counts, waiting: 0 }),
      ),
    ]),
  );
  const crawl =
    'folders? limit_of_pages=page_limit duplicates beyond_the_limit=over_limit pages_with_links_beyond_the_depth=unfollowed_pages';
  for (const stage of run.stages) if (stage.crawl !== null) printFields(pick(stage.crawl, crawl));
}

export function printJob(job: object): void {
  printFields(pick(job, `${JOB} attempts`));
}

/** A job on standard output as what it read, so that a program reads JSON alone; the rest on standard error. */
export function printEndedJob({ id, status, result, error, credits_used }: Job): void {
  if (result !== null && result !== undefined) printJson(result);
  const parts = [error?.error, error?.detail].filter((part) => part !== undefined);
  note([`${id} ${status}, credits used: ${credits_used}`, ...parts].join(': '));
}

function printApi({ id, input_schema, example, ...api }: Operations['getApi']['answer']): void {
  printFields(pick({ id, ...api }, 'id name description path credits'));
  // JSON Schema of an object, as the service wrote it.
  const { properties = {}, required = [] } = input_schema as {
    properties?: Record<string, { type?: unknown; description?: string }>;
    required?: string[];
  };
  printRows(
    Object.entries(properties).map(([parameter, { type, description }]) => ({
      parameter,
      type,
      required: required.includes(parameter) ? 'yes' : 'no',
      description,
    })),
  );
  const words = Object.entries(example.request.query).map(([key, value]) => `'${key}=${String(value)}'`);
  note(`gleaner apis call ${id} ${words.join(' ')}`);
}

function printTables({ problem, tables }: Operations['getDatabase']['answer']): void {
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
