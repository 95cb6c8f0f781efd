import type { OperationName } from '@gleaner/core';
import { hasEnded, isObject, isOneOf, RUN_STATES } from '@gleaner/contracts/values';

/** The text about a tool that an agent reads beside the operation's description. */
export interface ToolText {
  title: string;
  /** When to use it, and what it costs. */
  text: string;
  /** True when it removes something or stops work. */
  isDestructive?: boolean;
  /** True when its result holds text of web pages. */
  showsPages?: boolean;
  /** The operation that follows its run by events; with it, the tool can wait for the end. */
  followedBy?: OperationName;
  /** The argument of the tool for the operation's `id`, which it takes too. */
  idName?: string;
  /** An argument of the operation that an agent has no use for: the tool doesn't take it. */
  omitted?: string;
  /** The operation whose tool explains the arguments that both take. */
  explainedBy?: OperationName;
  /** The next step after a success; absent when the result needs none. */
  nextStep?: (result: Record<string, unknown>) => string | undefined;
}

/** Texts of tools by operation id. */
export type Tools = Readonly<Partial<Record<OperationName, ToolText>>>;

const LANGUAGE =
  'A schema is {"fields": {name: source}}. A source is a CSS selector ("h1", "a.next@href") or an object: {"css": ".price", "type": "number"}, {"page": "markdown"}, {"jsonld": "$..price"}, and for repeated blocks {"css": ".item", "take": "all", "fields": {"name": "h2"}}. get_parser_language has the whole language.';

function afterParser({ id }: Record<string, unknown>): string {
  return `Run it with scrape (one page) or create_batch (many), parserId ${String(id)}.`;
}

/** What an answer says to do about empty fields: of itself, of its failures, or of the fields that it explains. */
function hintIn({ hint, failures, explain }: Record<string, unknown>): string | undefined {
  const listed = [failures, explain].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  const hints = [hint, ...listed.map((one) => (isObject(one) ? one['hint'] : undefined))];
  return hints.find((one) => typeof one === 'string');
}

function isEnded(status: unknown): boolean {
  return isOneOf(RUN_STATES, status) && hasEnded(status);
}

function afterBatch({ id, status, mode, dry_run }: Record<string, unknown>): string | undefined {
  if (dry_run === true) return 'Call create_batch again without dry_run to start it.';
  if (!isEnded(status)) return `Call get_batch with id ${String(id)} and wait_seconds 50 until it ends.`;
  return mode === 'database'
    ? 'Read its rows with query_rows.'
    : `Read its results with get_batch_results, id ${String(id)}.`;
}

function afterCrawl({ id, kind, status }: Record<string, unknown>): string {
  if (!isEnded(status))
    return `Call get_workflow_run with id ${String(id)} and wait_seconds 50 until it ends.`;
  return kind === 'map'
    ? `Read its addresses with get_run_urls, id ${String(id)}.`
    : `Read its pages with get_run_results, id ${String(id)}.`;
}

function afterWorkflowRun(run: Record<string, unknown>): string | undefined {
  if (run.dry_run === true) return 'Call run_workflow again without dry_run to start it.';
  return isEnded(run.status) && run.kind === 'workflow'
    ? `Read its rows with query_rows, or get_run_results with id ${String(run.id)}.`
    : afterCrawl(run);
}

/** Tools of the groups `default` and `manage`: an agent changes what it made. */
const OWN_WORK_TOOLS = {
  updateParser: {
    title: 'Change a parser',
    text: 'Changes what is given, as create_parser takes it; a changed schema makes a new version. Free.',
    explainedBy: 'createParser',
    idName: 'parserId',
    nextStep: afterParser,
  },
  createDatabase: {
    title: 'Create a database',
    text: 'Creates a database for rows of batches: managed, or your own Postgres. Free.',
  },
  listCrons: { title: 'List crons', text: 'Schedules of the account, newest first. Free.' },
  updateCron: {
    title: 'Change a cron',
    text: 'Changes what is given, as create_cron takes it; enabled: false pauses it, enabled: true resumes it. Free.',
    explainedBy: 'createCron',
  },
} satisfies Tools;

const CREATE_WORKFLOW: ToolText = {
  title: 'Save a workflow',
  text: 'Saves stages that feed each other: list pages, their next pages, detail pages, rows of a table; or a crawl, to schedule it: create_cron runs the workflow from its inputs, into the sinks of its stages or routes. Free.',
  nextStep: ({ id }) =>
    `Start it with run_workflow, id ${String(id)}, or schedule it with create_cron: target {"type": "workflow", "workflowId": "${String(id)}"}.`,
};

/** Tools of the groups `default` and `workflows`. */
const WORKFLOW_RUN_TOOLS = {
  createWorkflowRun: {
    title: 'Start a workflow',
    text: 'Starts a saved workflow with the URLs of its first stage; answers with its id at once. Reserves the price of a stage when its inputs arrive. dry_run: true shows what the first stage would do; limits.credits of the workflow bounds the charge.',
    nextStep: afterWorkflowRun,
  },
  getWorkflowRun: {
    title: 'Get a workflow run',
    text: 'State of a workflow run with the counts of each stage, and why inputs wait. Free.',
    followedBy: 'watchWorkflowRun',
    explainedBy: 'createCrawl',
    nextStep: afterWorkflowRun,
  },
} satisfies Tools;

/** Tools that are offered when the client selects nothing, by operation id, in the order of the list. */
export const DEFAULT_TOOLS = {
  scrape: {
    title: 'Scrape a page',
    text: 'Fetches one page and extracts data with a saved parser. Use create_batch for more than a few pages. Costs 1 credit, more with useBrowser or a proxy; a failure costs nothing.',
    showsPages: true,
    nextStep: hintIn,
  },
  parseHtml: {
    title: 'Parse HTML',
    text: 'Extracts data with a saved parser from HTML that you already have. Free.',
    showsPages: true,
    nextStep: hintIn,
  },
  listParsers: {
    title: 'List parsers',
    text: 'The saved parsers with the names of their fields, newest first. Look here before you create one. Free.',
  },
  getParser: {
    title: 'Get a parser',
    text: 'One parser with its schema and version. Free.',
    idName: 'parserId',
  },
  readPage: {
    title: 'Read a page',
    text: 'Outlines a page before you write a parser: headings, repeated records with a field, values with selectors. Free with html; with url it costs what a scrape costs.',
    showsPages: true,
    nextStep: () => 'Write a schema from these selectors and try it with preview_parser.',
  },
  createParser: {
    title: 'Create a parser',
    text: `Saves an extraction schema. Test it with preview_parser first. Free. ${LANGUAGE}`,
    nextStep: afterParser,
  },
  getParserLanguage: {
    title: 'Get the schema language',
    text: 'The JSON Schema of extraction schemas: every kind of source, type and transform. Free.',
  },
  previewParser: {
    title: 'Try a schema',
    text: 'Runs a schema, as create_parser takes it, without saving it, and reports per field what matched; explain: true shows each step and why a field is empty. Free with html; with url it costs what a scrape costs, unless nothing matched.',
    showsPages: true,
    nextStep: hintIn,
  },
  createBatch: {
    title: 'Start a batch',
    text: 'Runs a parser over many URLs (urls), or a prebuilt API over many inputs (inputs),; answers with the id at once. Reserves the whole price; only successes are charged. dry_run: true shows what it would do and cost; max_credits bounds the charge.',
    nextStep: afterBatch,
  },
  getBatch: {
    title: 'Get a batch',
    text: 'State and counts of a batch. Free.',
    followedBy: 'watchBatch',
    nextStep: afterBatch,
  },
  getBatchResults: {
    title: 'Read batch results',
    text: 'Results of a batch in the order of its inputs, page by page with cursor. Free.',
    showsPages: true,
  },
  createCron: {
    title: 'Schedule work',
    text: 'Runs a parser, a prebuilt API, or a workflow (a crawl is one) at the times of a cron expression. Its inputs: url, inputs, or source ({"sitemap": URL} or {"feed": URL}). sink: {"mode": "database", "database": id, "table": name}, with the options that create_batch names; a workflow has its own. Each firing is charged as its batch or workflow run is.',
    explainedBy: 'createBatch',
  },
  ...OWN_WORK_TOOLS,
  listDatabases: {
    title: 'List databases',
    text: 'Databases that batches can write rows to. Free.',
  },
  listRows: {
    title: 'Query rows',
    text: 'Rows of a table, filtered, in order, page by page with cursor. Read-only. Free.',
    showsPages: true,
  },
  createWorkflow: CREATE_WORKFLOW,
  ...WORKFLOW_RUN_TOOLS,
  createCrawl: {
    title: 'Crawl a site',
    text: 'Follows the links of a site from its start addresses and reads each page; answers with its id at once. Try map_site first to see its addresses. Each page costs 1 credit or more; limits.pages (default 1000) and limits.credits bound it.',
    nextStep: afterCrawl,
  },
  createMap: {
    title: 'Map a site',
    explainedBy: 'createCrawl',
    text: 'Lists the addresses of a site; reads no data. Costs what a crawl of its pages costs; free with crawl: {"sources": {"links": false}}, which reads sitemaps alone.',
    nextStep: afterCrawl,
  },
  listCrawlUrls: {
    title: 'Read addresses of a crawl or map',
    text: 'Addresses that a crawl or map found, in its order, with what became of each; page by page with cursor. Free.',
    showsPages: true,
  },
  getWorkflowRunResults: {
    title: 'Read results of a run',
    text: 'Pages that a crawl read (url, title, markdown, or the fields of its routes), and results of workflow runs without a sink; page by page with cursor. Free.',
    showsPages: true,
  },
  getChanges: {
    title: 'Read changes',
    text: 'What changed in a table with history, oldest first. Go on with after: cursor; after: "now" begins at the end. Free.',
    showsPages: true,
    omitted: 'format',
  },
  getCredits: {
    title: 'Get credits',
    text: 'Balance, concurrency limit and stored bytes of the account. Free.',
  },
} satisfies Tools;

/** Tools of the group `manage`. */
export const MANAGE_TOOLS = {
  ...OWN_WORK_TOOLS,
  restoreParserVersion: {
    title: 'Restore a parser version',
    text: 'Restores an earlier schema as a new version. Free.',
    idName: 'parserId',
  },
  listBatches: { title: 'List batches', text: 'Batches of the account, newest first. Free.' },
  getBatchFailures: {
    title: 'Read batch failures',
    text: 'Failed inputs of a batch with their causes. Free.',
    showsPages: true,
    nextStep: hintIn,
  },
  cancelBatch: {
    title: 'Cancel a batch',
    text: 'Stops a batch and releases its reservation. Free.',
    isDestructive: true,
  },
  retryBatch: {
    title: 'Retry a batch',
    text: 'Runs the failed inputs of a batch again. Reserves their price again; only successes are charged.',
    nextStep: afterBatch,
  },
  getDatabase: { title: 'Get a database', text: 'One database with its tables and columns. Free.' },
  updateDatabase: { title: 'Change a database', text: 'Renames a database or changes its connection. Free.' },
  dropTable: { title: 'Drop a table', text: 'Drops a table with all its rows. Free.', isDestructive: true },
  getCron: { title: 'Get a cron', text: 'One cron with its next run and its last firing. Free.' },
  triggerCron: {
    title: 'Fire a cron now',
    text: 'Fires a cron once, also while it is paused. Charged as its batch or workflow run is.',
  },
  listCronRuns: { title: 'List firings', text: 'Firings of a cron with their runs, newest first. Free.' },
  listQuarantinedRows: {
    title: 'Read held rows',
    text: 'Rows of a batch, job or workflow run that are held back because the parser seems broken, each with its reason. Free.',
    showsPages: true,
  },
  releaseQuarantinedRows: {
    title: 'Write held rows',
    text: 'Writes rows that are held back as they are: all, or those of seqs. Look at them with list_quarantined_rows first. Free.',
  },
  discardQuarantinedRows: {
    title: 'Drop held rows',
    text: 'Drops rows that are held back, so that they are never written: all, or those of seqs. Free.',
    isDestructive: true,
  },
  publishRun: {
    title: 'Make held removals',
    text: 'Removes the rows of a table that a run did not find again, where get_batch or get_workflow_run says that its publication is held. Free.',
    isDestructive: true,
  },
  discardRun: {
    title: 'Drop held removals',
    text: 'Keeps the rows of a table that a run did not find again, where its publication is held. Free.',
  },
  getParserHealth: {
    title: 'Get the health of a parser',
    text: 'Per host, the fields that lack values or have unusual ones, with an example. Free.',
    showsPages: true,
    idName: 'parserId',
  },
  proposeParserRepair: {
    title: 'Propose a repair',
    text: 'Learns a schema for changed pages from the rows that a broken parser gave before; stores nothing. Free.',
    showsPages: true,
    idName: 'parserId',
    nextStep: ({ schema }) =>
      isObject(schema)
        ? 'Save the schema with update_parser, then release or discard the held rows.'
        : undefined,
  },
  resetParserHealth: {
    title: 'Learn a host again',
    text: 'Forgets what is usual for a parser on a host, after an intended change of the site. Free.',
    idName: 'parserId',
  },
  updateWorkflow: {
    title: 'Change a workflow',
    text: 'Replaces the given fields of a workflow; runs that have started go on as they are. Free.',
  },
} satisfies Tools;

/** Tools of the group `workflows`. */
export const WORKFLOW_TOOLS = {
  createWorkflow: CREATE_WORKFLOW,
  listWorkflows: { title: 'List workflows', text: 'The saved workflows, newest first. Free.' },
  ...WORKFLOW_RUN_TOOLS,
  getWorkflowRunFailures: {
    title: 'Read failures of a workflow run',
    text: 'Failed inputs of a workflow run, stage by stage. Free.',
    showsPages: true,
    nextStep: hintIn,
  },
  cancelWorkflowRun: {
    title: 'Cancel a workflow run',
    text: 'Stops a workflow run with all its stages and releases its reservation. Free.',
    isDestructive: true,
  },
} satisfies Tools;
