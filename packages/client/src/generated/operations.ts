// Generated from the operation table of @gleaner/contracts by `npm run docs`; don't edit.
import type { Call, DryRunOr } from '../call.ts';
import type { Download } from '../download.ts';
import type { FileInput } from '../multipart.ts';
import type { Listing } from '../listing.ts';
import type { CallOptions, CreateOptions, Routes } from '../route.ts';
import type { ServerEvent } from '../server-events.ts';
import type { WaitOptions } from '../wait-for.ts';

/** Stable texts of the service's errors: docs/errors.md. */
export type ErrorText = 'invalid request' | 'invalid or inactive api_key' | 'forbidden host' | 'insufficient credits' | 'not found' | 'target not found' | 'idempotency conflict' | 'already finished' | 'name taken' | 'in use' | 'regression' | 'html too large' | 'body too large' | 'unsupported media type' | 'expectation failed' | 'extraction failed' | 'batch writes to a database' | 'rate limit exceeded' | 'concurrency limit exceeded' | 'plan limit exceeded' | 'pending limit' | 'fetch failed' | 'target blocked' | 'site changed' | 'temporarily unavailable' | 'fetch timed out' | 'internal error';

export type WebhookEventType = 'job.finished' | 'batch.finished' | 'cron.fired' | 'cron.failed' | 'credits.low';

export interface BackfillCronAnswer {
  /** Firings that wait to run now. */
  queued: number;
}

export interface BackfillCronInput {
  /** The first time that counts. */
  from: string;
  /** The last time that counts; in the past. */
  to: string;
}

export interface Batch {
  /** Identifier of the batch. */
  id: string;
  name: string | null;
  status: 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  mode: 'return' | 'database';
  /** What to run: one of your parsers, or a prebuilt API. */
  target: Target;
  /** The parser’s configuration and what was given on top, without headers and cookies. */
  scrape_config: { [name: string]: unknown };
  /** Where the results go, as it was given. */
  sink: { [name: string]: unknown };
  /** total = pending + running + succeeded + failed + cancelled, at any moment. */
  counts: {
    total: number;
    pending: number;
    running: number;
    succeeded: number;
    failed: number;
    cancelled: number;
    /** Of those pending or running: fetched and extracted, waiting for the database of the sink. */
    waiting_for_sink: number;
  };
  credits: {
    reserved: number;
    used: number;
  };
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  /** When results are removed; null in database mode. */
  expires_at: string | null;
}

export type CreateBatchAnswer = Batch | DryRun;

export interface CreateBatchInput {
  name?: string;
  /** What to run: one of your parsers, or a prebuilt API. */
  target: Target;
  /** How the page is fetched; price depends on useBrowser and proxy. */
  scrape_config?: ScrapeConfig;
  /** Where results go: kept for the API to return, or rows of an owned database. */
  sink?: Sink;
  webhook_url?: string;
  /** Keep the first of equal inputs. Without it duplicates are kept once each. */
  dedupe?: boolean;
  /** Answer what it would do, and do nothing. */
  dry_run?: boolean;
  /** Most credits that this may ever charge. */
  max_credits?: number;
  /** For parsers: the pages. */
  urls?: readonly string[];
  /** For prebuilt APIs: their parameters. For parsers: objects with url. */
  inputs?: readonly { [name: string]: unknown }[];
}

export type CreateCronAnswer = Cron | DryRun;

export interface CreateCronInput {
  name: string;
  description: string;
  /** For parsers: the page, if there is one only. */
  url?: string;
  /** For parsers: URLs. For prebuilt APIs: objects of parameters. */
  inputs?: readonly (string | { [name: string]: unknown })[];
  /** Five fields: minute, hour, day of month, month, day of week (0 and 7 are Sunday). Names such as MON and JAN are accepted. A day matches the day of the month or the day of the week when both are restricted. */
  schedule: string;
  /** IANA name of the time zone in which the schedule is read. Default: UTC. */
  timezone?: string;
  /** What to run: one of your parsers, a prebuilt API, or one of your workflows. */
  target: {
    type: 'parser';
    /** Identifier of the parser. */
    parserId: string;
    /** Run this version of the parser. Default: the one that is current when the work is created. */
    version?: number;
  } | {
    type: 'api';
    /** A prebuilt API of GET /v1/apis: `videosite-video`. */
    id: string;
  } | {
    type: 'workflow';
    /** Identifier of the workflow. */
    workflowId: string;
  };
  /** How the page is fetched; price depends on useBrowser and proxy. */
  scrape_config?: ScrapeConfig;
  /** Parser and API targets need a database sink. */
  sink?: Sink;
  /** Default: true. */
  enabled?: boolean;
  /** Default: skip. */
  overlap?: 'skip' | 'queue' | 'replace' | 'allow';
  catchup_seconds?: number | null;
  /** Default: 10. */
  pause_after_failures?: number;
  /** Most credits that one firing may ever charge. */
  max_credits?: number;
  /** Report what a firing would do, and store nothing. */
  dry_run?: boolean;
}

export interface CreateDatabaseAnswer {
  id: string;
  name: string;
  kind: 'managed' | 'postgres';
  /** Postgres schema that holds the tables; null for an external database. */
  schema: string | null;
  /** host:port/database of an external database; the URL is never shown. */
  host: string | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
}

export interface CreateDatabaseCredentialsAnswer {
  host: string;
  port: number;
  database: string;
  schema: string;
  user: string;
  /** Shown once. */
  password: string;
  connection_url: string;
}

export type CreateDatabaseInput = {
  name: string;
  kind: 'managed';
} | {
  name: string;
  kind: 'postgres';
  /** postgres://user:password@host:port/database?sslmode=… of your own Postgres. Stored encrypted, never shown again. */
  connection_url: string;
};

export type CreateJobAnswer = Job | DryRun;

export interface CreateJobInput {
  /** What to run: one of your parsers, or a prebuilt API. */
  target: Target;
  /** For parsers: the page. */
  url?: string;
  /** For prebuilt APIs: the parameters. */
  input?: { [name: string]: unknown };
  /** How the page is fetched; price depends on useBrowser and proxy. */
  scrape_config?: ScrapeConfig;
  /** Where results go: kept for the API to return, or rows of an owned database. */
  sink?: Sink;
  webhook_url?: string;
  /** Answer what it would do, and do nothing. */
  dry_run?: boolean;
  /** Most credits that this may ever charge. */
  max_credits?: number;
}

export interface CreateParserInput {
  name: string;
  description?: string | null;
  schema: ParserSchema;
  /** How the page is fetched; price depends on useBrowser and proxy. */
  scrape_config?: ScrapeConfig;
}

export interface CreateWebhookAnswer {
  id: string;
  url: string;
  events: ('job.finished' | 'batch.finished' | 'cron.fired' | 'cron.failed' | 'credits.low')[];
  enabled: boolean;
  disabled_reason: string | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Verifies the webhook-signature header (Standard Webhooks); begins with whsec_. */
  secret: string;
}

export interface CreateWebhookInput {
  url: string;
  /** Events to send. */
  events: readonly ('job.finished' | 'batch.finished' | 'cron.fired' | 'cron.failed' | 'credits.low')[];
}

export interface Cron {
  /** Identifier of the cron. */
  id: string;
  name: string;
  description: string;
  url: string | null;
  /** Absent in lists. Null: the cron has a `url`. */
  inputs?: unknown[] | null;
  input_count: number;
  schedule: string;
  timezone: string;
  /** What to run: one of your parsers, a prebuilt API, or one of your workflows. */
  target: {
    type: 'parser';
    /** Identifier of the parser. */
    parserId: string;
    /** Run this version of the parser. Default: the one that is current when the work is created. */
    version?: number;
  } | {
    type: 'api';
    /** A prebuilt API of GET /v1/apis: `videosite-video`. */
    id: string;
  } | {
    type: 'workflow';
    /** Identifier of the workflow. */
    workflowId: string;
  };
  /** How the page is fetched; price depends on useBrowser and proxy. */
  scrape_config: ScrapeConfig;
  sink: Sink | null;
  enabled: boolean;
  overlap: 'skip' | 'queue' | 'replace' | 'allow';
  catchup_seconds: number | null;
  pause_after_failures: number;
  max_credits: number | null;
  /** Null while the cron is not enabled. */
  next_run_at: string | null;
  /** Failures in a row: refused firings and failed runs. */
  failures: number;
  /** Why the cron paused itself. */
  paused_reason: string | null;
  last_firing: CronFiring | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
}

export interface CronFiring {
  /** Identifier of the firing. */
  id: string;
  /** When it was due. */
  scheduled_at: string;
  /** When its run was made. Null: it has none. */
  fired_at: string | null;
  outcome: 'started' | 'skipped' | 'queued' | 'missed' | 'failed';
  /** Why no run was made, for example `overlap`. */
  reason: string | null;
  /** Its run: a batch, or a workflow run. */
  run_id: string | null;
  cause: 'schedule' | 'trigger' | 'backfill' | 'catchup';
}

export interface DryRun {
  dry_run: true;
  /** Inputs that would run, after validation and dedupe. */
  inputs: number;
  /** Inputs left out by dedupe. */
  duplicates: number;
  refused_count: number;
  /** The first 100 inputs that are not valid; index counts from 0. */
  refused: {
    index: number;
    input: string;
    detail: string;
  }[];
  /** What it could charge: least when everything fails, expected by past success. */
  credits: {
    least: number;
    expected: number;
    most: number;
  };
  /** Rows it could write; null in return mode or when pages hold lists of rows. */
  rows: {
    least: number;
    expected: number;
    most: number;
  } | null;
}

export interface ExportBatchQuery {
  format?: 'ndjson' | 'csv';
}

export interface ExportTableQuery {
  format?: 'csv' | 'ndjson';
  /** JSON object, column → value or operators, all of which must hold: {"brand": "Acme", "price": {"gte": 10, "lt": 20}}. Operators: eq, ne, lt, lte, gt, gte, in, contains, starts_with, is_null. */
  filter?: string | { readonly [name: string]: unknown };
}

export interface GetApiAnswer {
  /** The last part of the path. */
  id: string;
  name: string;
  description: string;
  methods: ('GET' | 'POST')[];
  path: string;
  /** Price of one answer; failures cost nothing. */
  credits: number;
  /** JSON Schema of the query parameters and of the JSON body. */
  input_schema: { [name: string]: unknown };
  /** JSON Schema of the answer. */
  output_schema: { [name: string]: unknown };
  example: {
    request: {
      method: 'GET' | 'POST';
      path: string;
      query: { [name: string]: unknown };
    };
    answer: { [name: string]: unknown };
  };
  /** How answers become rows of a database sink, and their default key. */
  row_key: {
    /** The list whose elements become rows; null: one row per answer. */
    list: string | null;
    columns: {
      column: string;
      path: string;
    }[];
  };
}

export interface GetBatchFailuresAnswer {
  /** All failures grouped by cause, most frequent first; on the first page only. */
  causes?: {
    error: string;
    count: number;
    example: {
      url: string;
      input?: { [name: string]: unknown };
      detail?: string;
    };
  }[];
  failures: {
    url: string;
    input?: { [name: string]: unknown };
    /** Stable text of the error catalogue. */
    error: string;
    detail?: string;
    attempts: number;
  }[];
  /** Pass it as `cursor` to get the next page; absent on the last one. */
  cursor?: string;
}

export interface GetBatchFailuresQuery {
  /** The `cursor` of the page before. */
  cursor?: string;
  limit?: number;
}

export interface GetBatchResultsAnswer {
  results: {
    /** The input; of a prebuilt API’s input its address, or the call that gives the same. */
    url: string;
    /** The parameters, for prebuilt APIs. */
    input?: { [name: string]: unknown };
    /** What the target extracted. */
    data: unknown;
  }[];
  /** Pass it as `cursor` to get the next page; absent when the batch has ended and everything was read. */
  cursor?: string;
}

export interface GetBatchResultsQuery {
  /** The `cursor` of the page before. */
  cursor?: string;
  limit?: number;
}

export interface GetCreditsAnswer {
  /** Remaining credits, those reserved for unfinished work included. */
  creditBalance: number;
  /** How many requests and tasks may execute at once. */
  concurrency: number;
}

export interface GetDatabaseAnswer {
  id: string;
  name: string;
  kind: 'managed' | 'postgres';
  /** Postgres schema that holds the tables; null for an external database. */
  schema: string | null;
  /** host:port/database of an external database; the URL is never shown. */
  host: string | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Null when an external database does not answer. */
  tables: {
    name: string;
    columns: {
      name: string;
      /** Postgres type. */
      type: string;
      nullable: boolean;
    }[];
    /** Columns that tell rows apart; empty when the table has no unique, never null key. */
    key: string[];
    /** Number of rows: exact up to 100,000, beyond that an estimate. */
    rows: number;
    rows_exact: boolean;
  }[] | null;
  /** Why the tables are not known. */
  problem: string | null;
}

export interface GetParserLanguageAnswer { [name: string]: unknown }

export interface GetWebhookAnswer {
  id: string;
  url: string;
  events: ('job.finished' | 'batch.finished' | 'cron.fired' | 'cron.failed' | 'credits.low')[];
  enabled: boolean;
  disabled_reason: string | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
}

export interface GetWebhookSecretAnswer {
  /** Verifies the webhook-signature header (Standard Webhooks); begins with whsec_. */
  secret: string;
}

export interface Job {
  /** Identifier of the job. */
  id: string;
  status: 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  /** What to run: one of your parsers, or a prebuilt API. */
  target: Target;
  url: string | null;
  input: { [name: string]: unknown } | null;
  mode: 'return' | 'database';
  /** The parser’s configuration and what was given on top, without headers and cookies. */
  scrape_config: { [name: string]: unknown };
  /** Where the results go, as it was given. */
  sink: { [name: string]: unknown };
  /** The extracted data once it succeeded; kept for 24 hours. Null in database mode. */
  result: unknown;
  /** True when the job succeeded, and its result was removed 24 hours after the job was created. */
  result_removed: boolean;
  error: {
    /** Stable text of the error catalogue. */
    error: string;
    field?: string;
    detail?: string;
    hint?: string;
  } | null;
  attempts: number;
  credits_used: number;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  expires_at: string | null;
}

export type Json = string | number | boolean | null | readonly Json[] | { [name: string]: Json };

export interface ListApisAnswer {
  apis: {
    /** The last part of the path. */
    id: string;
    name: string;
    description: string;
    methods: ('GET' | 'POST')[];
    path: string;
    /** Price of one answer; failures cost nothing. */
    credits: number;
  }[];
}

export interface ListBatchesAnswer {
  batches: Batch[];
  pagination: {
    /** Pass it as `cursor` to get the next page; null on the last one. */
    cursor: string | null;
    has_more: boolean;
  };
}

export interface ListBatchesQuery {
  /** The `pagination.cursor` of the page before. */
  cursor?: string;
  limit?: number;
  status?: 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled';
}

export interface ListCronRunsAnswer {
  runs: CronFiring[];
  pagination: {
    /** Pass it as `cursor` to get the next page; null on the last one. */
    cursor: string | null;
    has_more: boolean;
  };
}

export interface ListCronRunsQuery {
  /** The `pagination.cursor` of the page before. */
  cursor?: string;
  limit?: number;
}

export interface ListCronsAnswer {
  crons: Cron[];
  pagination: {
    /** Pass it as `cursor` to get the next page; null on the last one. */
    cursor: string | null;
    has_more: boolean;
  };
}

export interface ListCronsQuery {
  /** The `pagination.cursor` of the page before. */
  cursor?: string;
  limit?: number;
}

export interface ListDatabasesAnswer {
  databases: {
    id: string;
    name: string;
    kind: 'managed' | 'postgres';
    /** Postgres schema that holds the tables; null for an external database. */
    schema: string | null;
    /** host:port/database of an external database; the URL is never shown. */
    host: string | null;
    /** ISO 8601, UTC, milliseconds. */
    created_at: string;
    /** ISO 8601, UTC, milliseconds. */
    updated_at: string;
  }[];
  pagination: {
    /** Pass it as `cursor` to get the next page; null on the last one. */
    cursor: string | null;
    has_more: boolean;
  };
}

export interface ListDatabasesQuery {
  /** The `pagination.cursor` of the page before. */
  cursor?: string;
  limit?: number;
}

export interface ListDeliveriesAnswer {
  deliveries: {
    /** The webhook-id header: the same for every attempt. */
    id: string;
    /** Null when the run itself named the URL. */
    webhook_id: string | null;
    /** The job or batch that the event tells of. */
    run_id: string | null;
    url: string;
    event: string;
    /** The body that is posted. */
    payload: unknown;
    status: 'pending' | 'delivered' | 'failed';
    attempts: number;
    next_attempt_at: string | null;
    /** HTTP status of the last attempt. */
    response_status: number | null;
    /** Beginning of the last answer. */
    response_body: string | null;
    /** Why the last attempt failed. */
    error: string | null;
    /** ISO 8601, UTC, milliseconds. */
    created_at: string;
    attempted_at: string | null;
    delivered_at: string | null;
  }[];
  pagination: {
    /** Pass it as `cursor` to get the next page; null on the last one. */
    cursor: string | null;
    has_more: boolean;
  };
}

export interface ListDeliveriesQuery {
  /** The `pagination.cursor` of the page before. */
  cursor?: string;
  limit?: number;
  /** Only those about this job or batch. */
  run?: string;
  status?: 'pending' | 'delivered' | 'failed';
}

export interface ListJobsAnswer {
  jobs: Job[];
  pagination: {
    /** Pass it as `cursor` to get the next page; null on the last one. */
    cursor: string | null;
    has_more: boolean;
  };
}

export interface ListJobsQuery {
  /** The `pagination.cursor` of the page before. */
  cursor?: string;
  limit?: number;
  status?: 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled';
}

export interface ListLedgerAnswer {
  entries: {
    id: string;
    /** grant adds to the balance; reserve sets aside; settle turns reserved credits into used ones; release gives them back. */
    kind: 'grant' | 'reserve' | 'settle' | 'release';
    /** Never negative, except a grant that takes credits away. */
    credits: number;
    /** The request, job, batch or grant that the entry belongs to. */
    reference: string;
    /** ISO 8601, UTC, milliseconds. */
    created_at: string;
  }[];
  pagination: {
    /** Pass it as `cursor` to get the next page; null on the last one. */
    cursor: string | null;
    has_more: boolean;
  };
}

export interface ListLedgerQuery {
  /** The `pagination.cursor` of the page before. */
  cursor?: string;
  limit?: number;
}

export interface ListParserVersionsAnswer {
  versions: {
    version: number;
    schema: ParserSchema;
    /** The version that this one brought back. */
    restored_from: number | null;
    is_current: boolean;
    /** ISO 8601, UTC, milliseconds. */
    created_at: string;
  }[];
  pagination: {
    /** Pass it as `cursor` to get the next page; null on the last one. */
    cursor: string | null;
    has_more: boolean;
  };
}

export interface ListParserVersionsQuery {
  /** The `pagination.cursor` of the page before. */
  cursor?: string;
  limit?: number;
}

export interface ListParsersAnswer {
  parsers: Parser[];
  pagination: {
    /** Pass it as `cursor` to get the next page; null on the last one. */
    cursor: string | null;
    has_more: boolean;
  };
}

export interface ListParsersQuery {
  /** The `pagination.cursor` of the page before. */
  cursor?: string;
  limit?: number;
}

export interface ListRowsAnswer {
  rows: { [name: string]: unknown }[];
  pagination: {
    /** Pass it as `cursor` to get the next page; null on the last one. */
    cursor: string | null;
    has_more: boolean;
  };
}

export interface ListRowsQuery {
  /** The `pagination.cursor` of the page before. */
  cursor?: string;
  limit?: number;
  /** A column; with a minus sign in front, greatest first. Nulls come last. Default: the key. Texts are compared by their first 256 characters. */
  order_by?: string;
  /** JSON object, column → value or operators, all of which must hold: {"brand": "Acme", "price": {"gte": 10, "lt": 20}}. Operators: eq, ne, lt, lte, gt, gte, in, contains, starts_with, is_null. */
  filter?: string | { readonly [name: string]: unknown };
}

export interface ListWebhookDeliveriesAnswer {
  deliveries: {
    /** The webhook-id header: the same for every attempt. */
    id: string;
    /** Null when the run itself named the URL. */
    webhook_id: string | null;
    /** The job or batch that the event tells of. */
    run_id: string | null;
    url: string;
    event: string;
    /** The body that is posted. */
    payload: unknown;
    status: 'pending' | 'delivered' | 'failed';
    attempts: number;
    next_attempt_at: string | null;
    /** HTTP status of the last attempt. */
    response_status: number | null;
    /** Beginning of the last answer. */
    response_body: string | null;
    /** Why the last attempt failed. */
    error: string | null;
    /** ISO 8601, UTC, milliseconds. */
    created_at: string;
    attempted_at: string | null;
    delivered_at: string | null;
  }[];
  pagination: {
    /** Pass it as `cursor` to get the next page; null on the last one. */
    cursor: string | null;
    has_more: boolean;
  };
}

export interface ListWebhookDeliveriesQuery {
  /** The `pagination.cursor` of the page before. */
  cursor?: string;
  limit?: number;
  status?: 'pending' | 'delivered' | 'failed';
}

export interface ListWebhooksAnswer {
  webhooks: {
    id: string;
    url: string;
    events: ('job.finished' | 'batch.finished' | 'cron.fired' | 'cron.failed' | 'credits.low')[];
    enabled: boolean;
    disabled_reason: string | null;
    /** ISO 8601, UTC, milliseconds. */
    created_at: string;
    /** ISO 8601, UTC, milliseconds. */
    updated_at: string;
  }[];
  pagination: {
    /** Pass it as `cursor` to get the next page; null on the last one. */
    cursor: string | null;
    has_more: boolean;
  };
}

export interface ListWebhooksQuery {
  /** The `pagination.cursor` of the page before. */
  cursor?: string;
  limit?: number;
}

/** Shaped by the parser’s schema. */
export interface ParseHtmlAnswer { [name: string]: unknown }

export interface ParseHtmlInput {
  /** The page, at most 16 MB. */
  html: string;
}

export interface ParseHtmlQuery {
  /** Add `explain`: per field the sources tried, what matched, each step, and why it is null. */
  explain?: boolean;
  /** Address that the page came from: makes relative URLs absolute. */
  url?: string;
}

export interface Parser {
  /** Identifier of the parser. */
  id: string;
  name: string;
  description: string | null;
  schema: ParserSchema;
  /** Number of the current version, from 1. */
  version: number;
  /** How the page is fetched; price depends on useBrowser and proxy. */
  scrape_config: ScrapeConfig;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
}

export type ParserField = string | {
  /** CSS selector, or selectors tried in order until one matches. `sel@attr` takes an attribute. */
  css?: string | readonly string[];
  /** XPath 3.1, or several tried in order until one matches. */
  xpath?: string | readonly string[];
  /** JSONPath into the JSON-LD of the page: `$` is the array of all blocks, @graph flattened. */
  jsonld?: string;
  /** JSONPath into the microdata of the page: `$` is the array of its top items. */
  microdata?: string;
  /** Data embedded in a script or attribute. */
  json?: {
    /** CSS selector of the script, or `/regex/` that finds where the data starts in any script. Left out inside a field that matched JSON. */
    script?: string;
    /** JSONPath (RFC 9535) into the data. */
    path: string;
  };
  /** A JSON response that the page itself loaded. Only pages loaded in a browser have any. */
  xhr?: {
    /** Address of the response; `*` stands for anything. A pattern that starts with / is compared with path and query alone. */
    url: string;
    /** JSONPath (RFC 9535) into the response. */
    path: string;
  };
  /** Name, property, itemprop or http-equiv of a meta tag: `og:title`. */
  meta?: string;
  /** A constant. */
  const?: string | number | boolean;
  /** A fact of the page: its addresses, status and time of the fetch; its title and language; its text, HTML, main content as Markdown, and links (a list). */
  page?: 'url' | 'final_url' | 'status' | 'fetched_at' | 'title' | 'language' | 'text' | 'markdown' | 'html' | 'links';
  /** Sources of any kind: the first that yields a valid typed value wins. */
  any?: readonly (string | {
    /** CSS selector, or selectors tried in order until one matches. `sel@attr` takes an attribute. */
    css?: string | readonly string[];
    /** XPath 3.1, or several tried in order until one matches. */
    xpath?: string | readonly string[];
    /** JSONPath into the JSON-LD of the page: `$` is the array of all blocks, @graph flattened. */
    jsonld?: string;
    /** JSONPath into the microdata of the page: `$` is the array of its top items. */
    microdata?: string;
    /** Data embedded in a script or attribute. */
    json?: {
      /** CSS selector of the script, or `/regex/` that finds where the data starts in any script. Left out inside a field that matched JSON. */
      script?: string;
      /** JSONPath (RFC 9535) into the data. */
      path: string;
    };
    /** A JSON response that the page itself loaded. Only pages loaded in a browser have any. */
    xhr?: {
      /** Address of the response; `*` stands for anything. A pattern that starts with / is compared with path and query alone. */
      url: string;
      /** JSONPath (RFC 9535) into the response. */
      path: string;
    };
    /** Name, property, itemprop or http-equiv of a meta tag: `og:title`. */
    meta?: string;
    /** A constant. */
    const?: string | number | boolean;
    /** A fact of the page: its addresses, status and time of the fetch; its title and language; its text, HTML, main content as Markdown, and links (a list). */
    page?: 'url' | 'final_url' | 'status' | 'fetched_at' | 'title' | 'language' | 'text' | 'markdown' | 'html' | 'links';
    /** Attribute to take instead of the text; `html`, `inner_html`, `own_text` and `raw_text` (the DOM’s `textContent`) are special. */
    attr?: string;
    /** Steps from the raw text to the text that takes the type. Text is trimmed first, unless this is []. */
    transform?: readonly ('trim' | 'collapse' | 'lower' | 'upper' | 'unique' | {
      /** Regular expression, RE2 syntax. */
      regex: string;
      /** Number or name of the group to keep; default 1, or 0 when the pattern has none. */
      group?: number | string;
    } | {
      replace: readonly [string, string];
    } | {
      split: string;
    } | {
      join: string;
    } | {
      slice: readonly [number] | readonly [number, number];
    } | {
      map: { [name: string]: string | number | boolean | null };
    } | {
      strip: string;
    } | {
      template: string;
    })[];
    /** How numbers and dates are written: a language tag like `de` or `en-GB`. */
    locale?: string;
    /** Pattern of dates: `dd.MM.yyyy HH:mm`, with quotes around literal text. */
    format?: string;
  })[];
  /** Attribute to take instead of the text; `html`, `inner_html`, `own_text` and `raw_text` (the DOM’s `textContent`) are special. */
  attr?: string;
  /** first (default; all for page links), all (a list), count or exists. */
  take?: 'first' | 'all' | 'count' | 'exists';
  /** Type of the value, default string. */
  type?: 'string' | 'number' | 'integer' | 'boolean' | 'date' | 'datetime' | 'url' | 'html' | 'text' | 'markdown' | 'json' | 'table';
  /** Steps from the match to a sibling before the fields are read: `+ tr.sub`. */
  sibling?: string;
  /** Steps from the raw text to the text that takes the type. Text is trimmed first, unless this is []. */
  transform?: readonly ('trim' | 'collapse' | 'lower' | 'upper' | 'unique' | {
    /** Regular expression, RE2 syntax. */
    regex: string;
    /** Number or name of the group to keep; default 1, or 0 when the pattern has none. */
    group?: number | string;
  } | {
    replace: readonly [string, string];
  } | {
    split: string;
  } | {
    join: string;
  } | {
    slice: readonly [number] | readonly [number, number];
  } | {
    map: { [name: string]: string | number | boolean | null };
  } | {
    strip: string;
  } | {
    template: string;
  })[];
  /** How numbers and dates are written: a language tag like `de` or `en-GB`. */
  locale?: string;
  /** Pattern of dates: `dd.MM.yyyy HH:mm`, with quotes around literal text. */
  format?: string;
  /** Absent → extraction fails. */
  required?: boolean;
  /** What must hold of the value. */
  assert?: {
    /** Least number. */
    min?: number;
    /** Greatest number. */
    max?: number;
    /** Fewest items: of a list its values, of `count` and `exists` the matches; a single value counts as one, an absent one as none. */
    min_items?: number;
    /** Most items. */
    max_items?: number;
    /** Regular expression (RE2) that must be found in the text. */
    pattern?: string;
    /** The values that are allowed. */
    enum?: readonly (string | number | boolean)[];
    /** What a broken assertion, or a value that can’t take its type, does: fail the extraction (default), make the value null, or leave out the row of the nearest list. */
    on_fail?: 'fail' | 'null' | 'drop_row';
  };
  /** Value when absent; without it null, or [] for a list. */
  default?: Json;
  /** Part of the row’s identity: the default upsert key in a sink. */
  key?: boolean;
  /** A nested object, its selectors relative to the match. */
  fields?: { [name: string]: ParserField };
};

/** An extraction schema: named fields and where each comes from. */
export interface ParserSchema {
  /** What to read from the page, by name. */
  fields: { [name: string]: ParserField };
}

export interface PhotoappPostsAnswer {
  /** Numeric user id, to be sent with the cursor. */
  user_id: string | null;
  /** Posts, as the site orders them: pinned ones first. */
  posts: {
    /** Media id. */
    id: string | null;
    /** The short code in the post’s address. */
    shortcode: string | null;
    /** Image, or the poster of a video. Signed by the site and valid for a few days. */
    display_url: string | null;
    /** Whether the post itself is a video. */
    is_video: boolean | null;
    /** Likes; null when the owner hides them or the page leaves them out. */
    likes: number | null;
    /** Comments. */
    comments: number | null;
    /** Unix seconds. */
    timestamp: number | null;
    /** Caption; null when the post has none. */
    caption: string | null;
  }[];
  pagination: {
    has_next_page: boolean;
    /** Cursor of the next page; null on the last one. */
    end_cursor: string | null;
  };
}

export interface PhotoappPostsInput {
  /** User name, with or without a leading @. */
  username?: string;
  /** Numeric user id, the `user_id` of the answer before. Required with a token. */
  user_id?: string;
  /** `pagination.end_cursor` of the answer before. */
  cursor?: string;
  /** Posts per page, 1 to 50. */
  first?: number;
}

export interface PhotoappProfileAnswer {
  identity: {
    /** User name. */
    username: string | null;
    /** Display name. */
    full_name: string | null;
    /** Numeric user id. */
    id: string | null;
    /** Biography; line breaks are kept. */
    biography: string | null;
    /** Profile picture. */
    profile_pic_url: string | null;
    /** Large profile picture, when the page gives one. */
    profile_pic_url_hd: string | null;
    /** The link of the profile. */
    external_url: string | null;
    /** Links of the biography. */
    bio_links: {
      /** Title of the link. */
      title: string | null;
      /** Target. */
      url: string | null;
      /** As the site names it: `external`, … */
      link_type: string | null;
    }[];
  };
  metrics: {
    /** Followers. Rounded when the page gives only `15.6M`. */
    followers: number | null;
    /** Accounts followed. */
    following: number | null;
    /** Posts. */
    posts: number | null;
  };
  account_type: {
    /** Whether the account is verified. */
    is_verified: boolean | null;
    /** Whether only followers see the posts. */
    is_private: boolean | null;
    /** Whether it is a business account. */
    is_business_account: boolean | null;
    /** Whether it is a business or creator account. */
    is_professional_account: boolean | null;
  };
  business_info: {
    /** Category shown on the profile. */
    category_name: string | null;
    /** Public business e-mail address. */
    email: string | null;
    /** Public business phone number. */
    phone_number: string | null;
  };
  content: {
    /** Whether the account has reels. */
    has_clips: boolean | null;
    /** Story highlights. */
    highlight_reel_count: number | null;
    /** The newest posts on the page; empty for private accounts. */
    recent_posts: {
      /** Media id. */
      id: string | null;
      /** The short code in the post’s address. */
      shortcode: string | null;
      /** Image, or the poster of a video. Signed by the site and valid for a few days. */
      display_url: string | null;
      /** Whether the post itself is a video. */
      is_video: boolean | null;
      /** Likes; null when the owner hides them or the page leaves them out. */
      likes: number | null;
      /** Comments. */
      comments: number | null;
      /** Unix seconds. */
      timestamp: number | null;
      /** Caption; null when the post has none. */
      caption: string | null;
    }[];
  };
  pagination: {
    /** Cursor for photoapp-posts. */
    end_cursor: string | null;
  };
}

export interface PhotoappProfileInput {
  /** User name, with or without a leading @. */
  username: string;
}

export interface PhotoappReelsAnswer {
  /** Numeric user id, to be sent with the continuation. */
  user_id: string | null;
  /** Reels, as the site orders them. */
  reels: {
    /** Media id. */
    id: string | null;
    /** The short code in the reel’s address. */
    shortcode: string | null;
    /** Poster image. */
    display_url: string | null;
    /** Video file. Signed by the site and valid for a few days. */
    video_url: string | null;
    /** Likes. */
    likes: number | null;
    /** Comments. */
    comments: number | null;
    /** Plays. */
    plays: number | null;
    /** Unix seconds. */
    timestamp: number | null;
    /** Caption; null when there is none. */
    caption: string | null;
  }[];
  pagination: {
    has_next_page: boolean;
    /** Token of the next page; null on the last one. */
    continuation: string | null;
  };
}

export interface PhotoappReelsInput {
  /** User name, with or without a leading @. */
  username?: string;
  /** Numeric user id, the `user_id` of the answer before. Required with a token. */
  user_id?: string;
  /** `pagination.continuation` of the answer before. */
  continuation?: string;
  /** Reels per page, 1 to 50. */
  page_size?: number;
}

export interface PreviewCronAnswer {
  times: string[];
}

export interface PreviewCronInput {
  /** Five fields: minute, hour, day of month, month, day of week (0 and 7 are Sunday). Names such as MON and JAN are accepted. A day matches the day of the month or the day of the week when both are restricted. */
  schedule: string;
  /** IANA name of the time zone in which the schedule is read. Default: UTC. */
  timezone?: string;
}

export interface PreviewParserAnswer {
  data: { [name: string]: unknown };
  fields: {
    path: string;
    /** Whether a source matched, also when the value could not take its type. */
    matched: boolean;
    value_count: number;
    /** The source that gave the value. */
    selector: string | null;
    /** Why the field failed, or why a value was left out. */
    error?: string;
  }[];
  explain?: unknown;
}

export interface PreviewParserInput {
  schema: ParserSchema;
  html?: string;
  /** Page to fetch; with `html`: the address that it came from. */
  url?: string;
  /** How the page is fetched; price depends on useBrowser and proxy. */
  scrape_config?: ScrapeConfig;
  explain?: boolean;
}

export interface PronetPostAnswer {
  /** Address of the post without query. */
  canonical_url: string | null;
  /** Title of an article; first sentence of a post. */
  headline: string | null;
  /** Full text; line breaks are kept. */
  text: string | null;
  /** ISO 8601 date-time, or a date where the page gives no more. */
  published_at: string | null;
  author: {
    /** Person or company. */
    name: string | null;
    /** Address of the profile. */
    url: string | null;
    /** Picture. */
    image: string | null;
  };
  /** Reactions. */
  reaction_count: number | null;
  /** Comments, often more than are listed. */
  comment_count: number | null;
  /** Pictures of the post; empty for a video. */
  images: string[];
  /** Comments on the page, in its order. */
  comments: {
    /** Name. */
    author: string | null;
    /** Address of the commenter’s profile; usually unavailable. */
    pronet_url: string | null;
    /** Text; empty for a comment with only a picture. */
    text: string | null;
    /** ISO 8601 date-time. */
    date_published: string | null;
  }[];
}

export interface PronetPostInput {
  /** Feed or update, post or article address, or a bare activity id. */
  url?: string;
  /** Article slug or bare activity id. */
  slug?: string;
}

export interface RealtyDetailsAnswer {
  /** Listing identifier; null for a building. */
  zpid: string | null;
  address: {
    /** Street and number. */
    street: string | null;
    /** City. */
    city: string | null;
    /** State. */
    state: string | null;
    /** Zip code. */
    zipcode: string | null;
  };
  /** US dollars; per month for a rental; null off the market. */
  price: number | null;
  /** The site’s own estimate in US dollars. */
  zestimate: number | null;
  /** Bedrooms. */
  bedrooms: number | null;
  /** Bathrooms as the listing counts them. */
  bathrooms: number | null;
  /** Square feet. */
  living_area: number | null;
  /** Square feet. */
  lot_size: number | null;
  /** Year. */
  year_built: number | null;
  /** SINGLE_FAMILY, TOWNHOUSE, CONDO, … */
  home_type: string | null;
  /** Description. */
  description: string | null;
  /** Features named on the page. */
  features: string[];
  /** One address per photo, the largest size, in the order of the page. */
  photos: string[];
  /** Newest first. */
  price_history: {
    /** YYYY-MM-DD. */
    date: string | null;
    /** US dollars; null when the event has none. */
    price: number | null;
    /** As the site words it: `Listed for sale`, … */
    event: string | null;
  }[];
  /** Newest first. */
  tax_history: {
    /** Year. */
    year: number | null;
    /** Tax paid in US dollars. */
    tax: number | null;
    /** Assessed value in US dollars. */
    assessment: number | null;
  }[];
}

export interface RealtyDetailsInput {
  /** Address of the listing. */
  url: string;
}

export interface RealtySearchAnswer {
  /** Results of the whole search; units, not rows, for rentals. */
  total_results: number | null;
  /** Listings of this page. */
  listings: {
    /** Listing identifier; null for a building, which has none of its own. */
    zpid: string | null;
    /** Address in one line; null when undisclosed. */
    address: string | null;
    /** City. */
    city: string | null;
    /** State. */
    state: string | null;
    /** Zip code. */
    zipcode: string | null;
    /** US dollars; per month for rentals; the lowest unit of a building. */
    price: number | null;
    /** Bedrooms; 0 for a studio. */
    bedrooms: number | null;
    /** Bathrooms. */
    bathrooms: number | null;
    /** Square feet. */
    living_area: number | null;
    /** SINGLE_FAMILY, TOWNHOUSE, CONDO, APARTMENT, MULTI_FAMILY, MANUFACTURED, LOT, … */
    home_type: string | null;
    /** FOR_SALE, FOR_RENT, RECENTLY_SOLD, PENDING, … */
    listing_status: string | null;
    /** Photo. */
    thumbnail: string | null;
    /** Address of the listing, for realty-details. */
    detail_url: string | null;
  }[];
  pagination: {
    /** Address of the next page; null on the last one. */
    next_url: string | null;
    has_more: boolean;
  };
}

export interface RealtySearchInput {
  /** City, zip or address. */
  query?: string;
  /** `pagination.next_url` of the answer before. */
  next_url?: string;
}

export interface ReplayDeliveryAnswer {
  /** The webhook-id header: the same for every attempt. */
  id: string;
  /** Null when the run itself named the URL. */
  webhook_id: string | null;
  /** The job or batch that the event tells of. */
  run_id: string | null;
  url: string;
  event: string;
  /** The body that is posted. */
  payload: unknown;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  next_attempt_at: string | null;
  /** HTTP status of the last attempt. */
  response_status: number | null;
  /** Beginning of the last answer. */
  response_body: string | null;
  /** Why the last attempt failed. */
  error: string | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  attempted_at: string | null;
  delivered_at: string | null;
}

export interface ReplayWebhookDeliveryAnswer {
  /** The webhook-id header: the same for every attempt. */
  id: string;
  /** Null when the run itself named the URL. */
  webhook_id: string | null;
  /** The job or batch that the event tells of. */
  run_id: string | null;
  url: string;
  event: string;
  /** The body that is posted. */
  payload: unknown;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  next_attempt_at: string | null;
  /** HTTP status of the last attempt. */
  response_status: number | null;
  /** Beginning of the last answer. */
  response_body: string | null;
  /** Why the last attempt failed. */
  error: string | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  attempted_at: string | null;
  delivered_at: string | null;
}

export interface RetryBatchInput {
  /** Also run the inputs that were cancelled. Only once the batch has ended. Default false. */
  cancelled?: boolean;
}

export interface RotateWebhookSecretAnswer {
  /** Verifies the webhook-signature header (Standard Webhooks); begins with whsec_. */
  secret: string;
}

/** Shaped by the parser’s schema. */
export interface ScrapeAnswer { [name: string]: unknown }

/** How the page is fetched; price depends on useBrowser and proxy. */
export interface ScrapeConfig {
  /** Load the page in a browser and run its scripts. */
  useBrowser?: boolean;
  /** Wait this long after the page has loaded. */
  waitSeconds?: number;
  /** CSS selector to wait for in the browser; implies nothing about useBrowser. */
  waitForBrowser?: string;
  /** Proxy tier: default, highquality, hardcore, premium or premium:<country code>. */
  proxy?: string;
  /** Limit on one attempt to fetch. Default 60, longer by waitSeconds. All attempts together take at most 120 seconds. */
  timeoutSeconds?: number;
  /** Request headers to send to the target. */
  headers?: { [name: string]: string };
  /** Cookies to send to the target. */
  cookies?: { [name: string]: string };
  /** Country to ask of a proxy tier whose URLs have {country}. */
  country?: string;
  /** Browser only: skip images, media and fonts. Default true. */
  blockResources?: boolean;
  /** Ask robots.txt first. Default false. */
  respectRobots?: boolean;
  /** Further attempts after a failure that can heal. Default 2. */
  retries?: number;
}

export interface ScrapeQuery {
  /** Absolute http or https URL. */
  url: string;
  /** Add `explain`: per field the sources tried, what matched, each step, and why it is null. */
  explain?: boolean;
  useBrowser?: boolean;
  waitSeconds?: number;
  /** CSS selector to wait for in the browser; implies nothing about useBrowser. */
  waitForBrowser?: string;
  /** Proxy tier: default, highquality, hardcore, premium or premium:<country code>. */
  proxy?: string;
  timeoutSeconds?: number;
  /** JSON object. */
  headers?: string | { readonly [name: string]: unknown };
  /** JSON object. */
  cookies?: string | { readonly [name: string]: unknown };
  /** Country to ask of a proxy tier whose URLs have {country}. */
  country?: string;
  blockResources?: boolean;
  respectRobots?: boolean;
  retries?: number;
}

export interface ShortvideoProfileAnswer {
  identity: {
    /** Numeric user id. */
    user_id: string | null;
    /** User name in its stored spelling. */
    unique_id: string | null;
    /** Display name. */
    nickname: string | null;
    /** Biography; empty when there is none. */
    bio: string | null;
    /** Whether the account is verified. */
    verified: boolean | null;
    /** Largest avatar. Signed by the site; expires. */
    avatar_large: string | null;
    /** Link of the biography, often without a scheme. */
    bio_link: string | null;
    /** Address of the profile. */
    profile_url: string | null;
  };
  stats: {
    /** Followers. */
    follower_count: number | null;
    /** Accounts followed. */
    following_count: number | null;
    /** Likes received. */
    heart_count: number | null;
    /** Videos. */
    video_count: number | null;
  };
  privacy: {
    /** Whether only followers see the videos. */
    private_account: boolean | null;
    /** 0 everyone, 1 friends, 3 nobody. */
    comment_setting: number | null;
  };
  commerce: {
    /** Whether it is a business account. */
    commerce_user: boolean | null;
    /** Whether it sells on the network. */
    tt_seller: boolean | null;
  };
}

export interface ShortvideoProfileInput {
  /** User name, with or without a leading @. */
  username: string;
}

export interface ShortvideoVideoAnswer {
  /** Video id. */
  id: string | null;
  /** Text of the post, hashtags and mentions included. */
  description: string | null;
  /** Unix seconds. */
  create_time: number | null;
  author: {
    /** Numeric user id. */
    id: string | null;
    /** User name. */
    unique_id: string | null;
    /** Display name. */
    nickname: string | null;
    /** Whether the author is verified. */
    verified: boolean | null;
  };
  stats: {
    /** Plays. */
    play_count: number | null;
    /** Likes. */
    like_count: number | null;
    /** Comments. */
    comment_count: number | null;
    /** Shares. */
    share_count: number | null;
  };
  video: {
    /** Seconds; 0 for a photo post. */
    duration: number | null;
    /** Cover image. Signed by the site; expires. */
    cover: string | null;
    /** Video file, playable only with the cookies of the same visit; null for a photo post. */
    play_url: string | null;
  };
  music: {
    /** Sound id. */
    id: string | null;
    /** Title of the sound. */
    title: string | null;
    /** Author of the sound. */
    author: string | null;
  };
}

export interface ShortvideoVideoInput {
  /** Address of the video, or its short link. */
  url: string;
}

/** Where results go: kept for the API to return, or rows of an owned database. */
export type Sink = {
  /** Results are kept for 24 hours and read through the API. */
  mode: 'return';
} | {
  /** Each result is written as rows of a table. */
  mode: 'database';
  /** Identifier of the database. */
  database: string;
  /** Made on first write. */
  table: string;
  /** Columns that tell rows apart: a later row with the same key updates the earlier one. Default: the fields that the parser marks with `key`, else `_url`; for prebuilt APIs their natural identifier. */
  key?: readonly string[];
  /** Path to a list of objects in the data: each element becomes one row. */
  rows?: string;
  /** What a field without a column does: evolve adds the column, freeze fails the task, discard leaves the field out. */
  contract?: 'evolve' | 'freeze' | 'discard';
  /** keep: a null never overwrites a value; overwrite: the row becomes what the page gave. */
  nulls?: 'keep' | 'overwrite';
};

/** What to run: one of your parsers, or a prebuilt API. */
export type Target = {
  type: 'parser';
  /** Identifier of the parser. */
  parserId: string;
  /** Run this version of the parser. Default: the one that is current when the work is created. */
  version?: number;
} | {
  type: 'api';
  /** A prebuilt API of GET /v1/apis: `videosite-video`. */
  id: string;
};

export interface UpdateCronInput {
  name?: string;
  description?: string;
  /** For parsers: the page, if there is one only. */
  url?: string;
  /** For parsers: URLs. For prebuilt APIs: objects of parameters. */
  inputs?: readonly (string | { [name: string]: unknown })[];
  /** Five fields: minute, hour, day of month, month, day of week (0 and 7 are Sunday). Names such as MON and JAN are accepted. A day matches the day of the month or the day of the week when both are restricted. */
  schedule?: string;
  /** IANA name of the time zone in which the schedule is read. Default: UTC. */
  timezone?: string;
  /** What to run: one of your parsers, a prebuilt API, or one of your workflows. */
  target?: {
    type: 'parser';
    /** Identifier of the parser. */
    parserId: string;
    /** Run this version of the parser. Default: the one that is current when the work is created. */
    version?: number;
  } | {
    type: 'api';
    /** A prebuilt API of GET /v1/apis: `videosite-video`. */
    id: string;
  } | {
    type: 'workflow';
    /** Identifier of the workflow. */
    workflowId: string;
  };
  /** How the page is fetched; price depends on useBrowser and proxy. */
  scrape_config?: ScrapeConfig;
  /** Parser and API targets need a database sink. */
  sink?: Sink;
  /** Default: true. */
  enabled?: boolean;
  /** Default: skip. */
  overlap?: 'skip' | 'queue' | 'replace' | 'allow';
  catchup_seconds?: number | null;
  /** Default: 10. */
  pause_after_failures?: number;
  /** Most credits that one firing may ever charge. */
  max_credits?: number;
}

export interface UpdateDatabaseAnswer {
  id: string;
  name: string;
  kind: 'managed' | 'postgres';
  /** Postgres schema that holds the tables; null for an external database. */
  schema: string | null;
  /** host:port/database of an external database; the URL is never shown. */
  host: string | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
}

export interface UpdateDatabaseInput {
  name?: string;
  /** postgres://user:password@host:port/database?sslmode=… of your own Postgres. Stored encrypted, never shown again. */
  connection_url?: string;
}

export interface UpdateParserInput {
  name?: string;
  description?: string | null;
  schema?: ParserSchema;
  /** How the page is fetched; price depends on useBrowser and proxy. */
  scrape_config?: ScrapeConfig;
}

export interface UpdateWebhookAnswer {
  id: string;
  url: string;
  events: ('job.finished' | 'batch.finished' | 'cron.fired' | 'cron.failed' | 'credits.low')[];
  enabled: boolean;
  disabled_reason: string | null;
  /** ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** ISO 8601, UTC, milliseconds. */
  updated_at: string;
}

export interface UpdateWebhookInput {
  url?: string;
  /** Events to send. */
  events?: readonly ('job.finished' | 'batch.finished' | 'cron.fired' | 'cron.failed' | 'credits.low')[];
  enabled?: boolean;
}

export interface VideositeChannelShortsAnswer {
  /** Channel identifier. */
  channel_id: string | null;
  /** Shorts of this page. */
  shorts: {
    /** Video id, 11 characters. */
    id: string | null;
    /** Title. */
    title: string | null;
    /** Largest thumbnail. */
    thumbnail: string | null;
    /** Views, expanded from the rounded `895k`. Null for members-only shorts. */
    view_count: number | null;
  }[];
  pagination: {
    /** Token of the next page; null on the last one. */
    continuation: string | null;
    has_more: boolean;
  };
}

export interface VideositeChannelShortsInput {
  /** Channel identifier beginning with UC. */
  channel_id?: string;
  /** `pagination.continuation` of the answer before. */
  continuation?: string;
}

export interface VideositeChannelVideosAnswer {
  /** Channel identifier. */
  channel_id: string | null;
  /** Videos of this page. */
  videos: {
    /** Video id, 11 characters. */
    id: string | null;
    /** Title. */
    title: string | null;
    /** Largest thumbnail. */
    thumbnail: string | null;
    /** Views; expanded from `26k` where the page rounds them. Null while live or upcoming and for members-only videos. */
    view_count: number | null;
    /** The words on the page: `3 days ago`. */
    published_at: string | null;
    /** Clock text: `9:36`, `1:02:03`. */
    duration: string | null;
  }[];
  pagination: {
    /** Token of the next page; null on the last one. */
    continuation: string | null;
    has_more: boolean;
  };
}

export interface VideositeChannelVideosInput {
  /** Channel identifier beginning with UC. */
  channel_id?: string;
  /** `pagination.continuation` of the answer before. */
  continuation?: string;
}

export interface VideositeSearchAnswer {
  /** Results in the order of the page. */
  results: {
    /** video, short, channel, playlist, mix, podcast, album, movie or show. */
    type: string | null;
    /** Id of the video, channel or playlist. */
    id: string | null;
    /** Title, or the channel’s name. */
    title: string | null;
    /** Largest thumbnail. */
    thumbnail: string | null;
    /** Name of the channel. */
    channel: string | null;
    /** Views; null for other types and while live or upcoming. */
    view_count: number | null;
    /** The words on the page: `3 days ago`. */
    published_at: string | null;
    /** Clock text: `9:36`. */
    duration: string | null;
  }[];
  pagination: {
    /** Token of the next page; null on the last one. */
    continuation: string | null;
    has_more: boolean;
  };
}

export interface VideositeSearchInput {
  /** Search query. */
  query?: string;
  /** `pagination.continuation` of the answer before. */
  continuation?: string;
}

export interface VideositeVideoAnswer {
  /** Video id, 11 characters. */
  id: string | null;
  /** Title in the original language. */
  title: string | null;
  /** Description; an empty text is a real value. */
  description: string | null;
  channel: {
    /** Channel identifier. */
    id: string | null;
    /** Name of the channel. */
    name: string | null;
    /** Address of the channel. */
    url: string | null;
  };
  metrics: {
    /** Views. */
    view_count: number | null;
    /** Likes; null when they are switched off. */
    like_count: number | null;
    /** Comments, expanded from `684K` where the page rounds them; null when switched off. */
    comment_count: number | null;
  };
  /** ISO 8601 date or date-time, as the page gives it. */
  published_at: string | null;
  /** Clock text: `9:36`; null while live or upcoming. */
  duration: string | null;
  /** Largest thumbnail. */
  thumbnail: string | null;
  /** Keywords of the uploader. */
  tags: string[];
  /** Category in English. */
  category: string | null;
}

export interface VideositeVideoInput {
  /** Video id, 11 characters. */
  video_id?: string;
  /** Address of the video: watch, short link, shorts, live or embed form. */
  url?: string;
}

/** What each prebuilt API takes and gives. */
export interface Apis {
  /** Profile metadata, follower counts, business information and the most recent posts of a user of the photo-sharing network. */
  'photoapp-profile': { input: PhotoappProfileInput; answer: PhotoappProfileAnswer };
  /** A page of a user’s reels. `username` starts; `user_id` and `continuation` of the answer before go on. */
  'photoapp-reels': { input: PhotoappReelsInput; answer: PhotoappReelsAnswer };
  /** A page of a user’s posts. `username` starts; `user_id` and `cursor` of the answer before go on. */
  'photoapp-posts': { input: PhotoappPostsInput; answer: PhotoappPostsAnswer };
  /** A page of a channel’s videos, newest first. */
  'videosite-channel-videos': { input: VideositeChannelVideosInput; answer: VideositeChannelVideosAnswer };
  /** A page of a channel’s shorts, newest first. */
  'videosite-channel-shorts': { input: VideositeChannelShortsInput; answer: VideositeChannelShortsAnswer };
  /** A page of search results: videos, channels, playlists and mixes, without advertisements. */
  'videosite-search': { input: VideositeSearchInput; answer: VideositeSearchAnswer };
  /** One video: texts, counts, tags and category. Give `video_id` or `url`. */
  'videosite-video': { input: VideositeVideoInput; answer: VideositeVideoAnswer };
  /** Identity, counters, privacy and commerce flags of a user of the short-video network. */
  'shortvideo-profile': { input: ShortvideoProfileInput; answer: ShortvideoProfileAnswer };
  /** One video or photo post of the short-video network. */
  'shortvideo-video': { input: ShortvideoVideoInput; answer: ShortvideoVideoAnswer };
  /** A page of listings. `query` starts; `next_url` of the answer before goes on. */
  'realty-search': { input: RealtySearchInput; answer: RealtySearchAnswer };
  /** Full property details with price history and tax history. */
  'realty-details': { input: RealtyDetailsInput; answer: RealtyDetailsAnswer };
  /** A public post or article with the comments and counts that are visible without login. Takes update, post and article addresses, article slugs and bare activity ids. */
  'pronet-post': { input: PronetPostInput; answer: PronetPostAnswer };
}

/** Every operation, by resource. */
export interface Methods {
  apis: {
    /** Schemas, price and example of one prebuilt API. */
    get(id: string, options?: CallOptions): Call<GetApiAnswer>;
    /** The prebuilt APIs. */
    list(options?: CallOptions): Call<ListApisAnswer>;
    /**
     * Call a prebuilt API by its id.
     * Costs 1 credit.
     */
    call<const I extends keyof Apis | (string & {})>(id: I, body: I extends keyof Apis ? Apis[I]['input'] : { readonly [name: string]: unknown }, options?: CallOptions): Call<I extends keyof Apis ? Apis[I]['answer'] : { [name: string]: unknown }>;
  };
  batches: {
    /** Cancel a batch: running tasks stop, its reservation is given back at once. */
    cancel(id: string, options?: CallOptions): Call<Batch>;
    /**
     * Run one target over many inputs.
     * As JSON with `urls` or `inputs`, or as a form with the same fields (objects as JSON) and last a `file` of NDJSON or CSV: up to 1,000,000 inputs, streamed. A line of NDJSON is a URL, a JSON string, or an object: `{"url": …}` for parsers, the parameters for prebuilt APIs. CSV has a header with a column `url`, or the names of parameters. Files are UTF-8, or UTF-16 with a byte order mark. The whole price is reserved now; only successes are charged.
     * Costs credits for each page.
     */
    create<const B extends CreateBatchInput>(body: B, options?: CreateOptions): Call<DryRunOr<B, DryRun, Batch>>;
    /**
     * Run one target over many inputs.
     * As JSON with `urls` or `inputs`, or as a form with the same fields (objects as JSON) and last a `file` of NDJSON or CSV: up to 1,000,000 inputs, streamed. A line of NDJSON is a URL, a JSON string, or an object: `{"url": …}` for parsers, the parameters for prebuilt APIs. CSV has a header with a column `url`, or the names of parameters. Files are UTF-8, or UTF-16 with a byte order mark. The whole price is reserved now; only successes are charged.
     * Costs credits for each page.
     */
    createFromFile<const B extends { readonly dry_run?: boolean }>(parts: B & {
      /** What to run: one of your parsers, or a prebuilt API. */
      target: Target;
      /** Text. */
      name?: string;
      /** How the page is fetched; price depends on useBrowser and proxy. */
      scrape_config?: ScrapeConfig;
      /** Where results go: kept for the API to return, or rows of an owned database. */
      sink?: Sink;
      /** Text. */
      webhook_url?: string;
      /** Keep the first of equal inputs. Without it duplicates are kept once each. */
      dedupe?: boolean;
      /** Answer what it would do, and do nothing. */
      dry_run?: boolean;
      /** Most credits that this may ever charge. */
      max_credits?: number;
      /** NDJSON or CSV, after the other parts. */
      file: FileInput;
    }, options?: CreateOptions): Call<DryRunOr<B, DryRun, Batch>>;
    /**
     * All results as one stream of NDJSON or CSV.
     * Of a batch that still runs, what has succeeded so far: export again when it has finished. In CSV nested values are JSON text, and cells that a spreadsheet would run as a formula begin with an apostrophe.
     */
    export(id: string, query?: ExportBatchQuery, options?: CallOptions): Call<Download>;
    /** One batch with its counts. */
    get(id: string, options?: CallOptions): Call<Batch>;
    /** Resolves with the record once it has ended, whether it succeeded, failed or was cancelled. */
    waitFor(id: string | { readonly id: string }, options?: WaitOptions<Batch>): Promise<Batch>;
    /** Failed inputs of a batch, and their causes. */
    failures(id: string, query?: GetBatchFailuresQuery, options?: CallOptions): Listing<GetBatchFailuresAnswer, GetBatchFailuresAnswer['failures'][number]>;
    /**
     * Results of a batch in the order of its inputs; successes alone.
     * While the batch runs, a page ends before the first input that has not ended, and may be empty; `cursor` is there until the batch has ended and everything was read, so a walk misses nothing. Wait a little after an empty page.
     */
    results(id: string, query?: GetBatchResultsQuery, options?: CallOptions): Listing<GetBatchResultsAnswer, GetBatchResultsAnswer['results'][number]>;
    /** Batches of the account, newest first. */
    list(query?: ListBatchesQuery, options?: CallOptions): Listing<ListBatchesAnswer, ListBatchesAnswer['batches'][number]>;
    /**
     * Run the failed inputs of a batch again.
     * Their price is reserved again. With `max_credits` as many run again, in input order, as it still pays for beside those that have not ended; the others stay failed. Without anything to run again it is refused with the reason.
     */
    retry(id: string, body: RetryBatchInput, options?: CreateOptions): Call<Batch>;
    /**
     * Progress as server-sent events.
     * An event `progress` with the batch at once and whenever its counts change, `finished` at the end, then the stream closes. With Last-Event-ID a state that the client knows is not sent again, but for the end.
     */
    watch(id: string, options?: CallOptions): AsyncGenerator<ServerEvent<Batch>, void, undefined>;
  };
  credits: {
    /** Balance and concurrency limit of the account. */
    get(options?: CallOptions): Call<GetCreditsAnswer>;
    /** Entries of the credit ledger, newest first. */
    listLedger(query?: ListLedgerQuery, options?: CallOptions): Listing<ListLedgerAnswer, ListLedgerAnswer['entries'][number]>;
  };
  crons: {
    /**
     * Make up for the firings between two times in the past.
     * Those that ran are left alone. The others run one after another, oldest first, 100 at most.
     */
    backfill(id: string, body: BackfillCronInput, options?: CreateOptions): Call<BackfillCronAnswer>;
    /**
     * Run a target on a schedule.
     * Each firing makes a run with all inputs, which reserves its price like a batch. `dry_run: true` reports what one firing would do.
     */
    create<const B extends CreateCronInput>(body: B, options?: CreateOptions): Call<DryRunOr<B, DryRun, Cron>>;
    /** Delete a cron with its list of firings. Its runs stay. */
    delete(id: string, options?: CallOptions): Call<void>;
    /** One cron with its next run. */
    get(id: string, options?: CallOptions): Call<Cron>;
    /** Firings of a cron, newest first. */
    listRuns(id: string, query?: ListCronRunsQuery, options?: CallOptions): Listing<ListCronRunsAnswer, ListCronRunsAnswer['runs'][number]>;
    /** Crons of the account, newest first. */
    list(query?: ListCronsQuery, options?: CallOptions): Listing<ListCronsAnswer, ListCronsAnswer['crons'][number]>;
    /** The next 10 times at which a schedule fires. */
    preview(body: PreviewCronInput, options?: CallOptions): Call<PreviewCronAnswer>;
    /**
     * Fire a cron now, also while it is paused.
     * Its `overlap` applies. A refused firing is an error, and is not listed.
     */
    trigger(id: string, options?: CreateOptions): Call<CronFiring>;
    /**
     * Change a cron, pause it or resume it.
     * Fields that are absent stay. With `url` the `inputs` go, and the reverse. `enabled: true` also forgets the failures of a cron that paused itself. Runs under way go on.
     */
    update(id: string, body: UpdateCronInput, options?: CallOptions): Call<Cron>;
  };
  databases: {
    /** Create a place for rows: managed, or your own Postgres. */
    create(body: CreateDatabaseInput, options?: CreateOptions): Call<CreateDatabaseAnswer>;
    /**
     * A read-only Postgres login confined to a managed database, for BI tools.
     * Calling it again gives the login a new password; the old one stops working.
     */
    createCredentials(id: string, options?: CreateOptions): Call<CreateDatabaseCredentialsAnswer>;
    /** Delete a database. A managed one loses its tables and its login; an external one is only forgotten. */
    delete(id: string, options?: CallOptions): Call<void>;
    /** Drop a table and its rows. */
    dropTable(id: string, table: string, options?: CallOptions): Call<void>;
    /**
     * The whole table as a stream of CSV or NDJSON, in the order of its key.
     * In CSV, a text cell that a spreadsheet would run as a formula gets a leading apostrophe; plain numbers do not.
     */
    exportTable(id: string, table: string, query?: ExportTableQuery, options?: CallOptions): Call<Download>;
    /** One database with its tables, columns, types and row counts. */
    get(id: string, options?: CallOptions): Call<GetDatabaseAnswer>;
    /** Databases of the account, newest first. */
    list(query?: ListDatabasesQuery, options?: CallOptions): Listing<ListDatabasesAnswer, ListDatabasesAnswer['databases'][number]>;
    /** Rows of a table, filtered and in order, page by page. */
    listRows(id: string, table: string, query?: ListRowsQuery, options?: CallOptions): Listing<ListRowsAnswer, ListRowsAnswer['rows'][number]>;
    /** Rename a database, or change the connection of an external one. */
    update(id: string, body: UpdateDatabaseInput, options?: CallOptions): Call<UpdateDatabaseAnswer>;
  };
  extraction: {
    /**
     * Parse uploaded HTML with a parser.
     * Free. As a form with a file `html`, or as JSON with the page as a text. The charset of a file is found as a browser does: BOM, charset of the part, meta element.
     */
    parseHtml(parserId: string, body: ParseHtmlInput, query?: ParseHtmlQuery, options?: CallOptions): Call<ParseHtmlAnswer>;
    /**
     * Parse uploaded HTML with a parser.
     * Free. As a form with a file `html`, or as JSON with the page as a text. The charset of a file is found as a browser does: BOM, charset of the part, meta element.
     */
    parseHtmlFromFile(parserId: string, parts: {
      /** The page, at most 16 MB. */
      html: FileInput;
    }, query?: ParseHtmlQuery, options?: CallOptions): Call<ParseHtmlAnswer>;
    /**
     * Fetch a page and parse it with a parser.
     * At most 120 seconds. What fails is not charged.
     * Costs credits for each page.
     */
    scrape(parserId: string, query: ScrapeQuery, options?: CallOptions): Call<ScrapeAnswer>;
  };
  jobs: {
    /** Cancel a job; its reservation is given back at once. */
    cancel(id: string, options?: CallOptions): Call<Job>;
    /**
     * Run one target with one input in the background.
     * The price is reserved now and charged when the job succeeds.
     * Costs credits for each page.
     */
    create<const B extends CreateJobInput>(body: B, options?: CreateOptions): Call<DryRunOr<B, DryRun, Job>>;
    /** One job with its result. */
    get(id: string, options?: CallOptions): Call<Job>;
    /** Resolves with the record once it has ended, whether it succeeded, failed or was cancelled. */
    waitFor(id: string | { readonly id: string }, options?: WaitOptions<Job>): Promise<Job>;
    /**
     * Jobs of the account, newest first.
     * Without their results: read one job for its result.
     */
    list(query?: ListJobsQuery, options?: CallOptions): Listing<ListJobsAnswer, ListJobsAnswer['jobs'][number]>;
  };
  parsers: {
    /** Create a parser. */
    create(body: CreateParserInput, options?: CreateOptions): Call<Parser>;
    /** Delete a parser. */
    delete(id: string, options?: CallOptions): Call<void>;
    /** One parser. */
    get(id: string, options?: CallOptions): Call<Parser>;
    /** Versions of a parser, newest first. */
    listVersions(id: string, query?: ListParserVersionsQuery, options?: CallOptions): Listing<ListParserVersionsAnswer, ListParserVersionsAnswer['versions'][number]>;
    /** Parsers of the account, newest first. */
    list(query?: ListParsersQuery, options?: CallOptions): Listing<ListParsersAnswer, ListParsersAnswer['parsers'][number]>;
    /**
     * Run a schema without saving it.
     * Free with `html`; with `url` it costs what a scrape costs. A field that fails is `null` in `data` and has its `error` in `fields`.
     * Costs credits for each page.
     */
    preview(body: PreviewParserInput, options?: CallOptions): Call<PreviewParserAnswer>;
    /** Make the schema of an earlier version the current one, as a new version. */
    restoreVersion(id: string, n: number, options?: CallOptions): Call<Parser>;
    /**
     * Change a parser; a changed schema makes a new version.
     * Fields that are absent stay as they are. Work in flight keeps the version it started with.
     */
    update(id: string, body: UpdateParserInput, options?: CallOptions): Call<Parser>;
  };
  schemas: {
    /** JSON Schema of the extraction schema language. */
    parserLanguage(options?: CallOptions): Call<GetParserLanguageAnswer>;
  };
  webhooks: {
    /** Have events posted to a URL. */
    create(body: CreateWebhookInput, options?: CreateOptions): Call<CreateWebhookAnswer>;
    /** Delete a webhook with its deliveries. */
    delete(id: string, options?: CallOptions): Call<void>;
    /** One webhook. */
    get(id: string, options?: CallOptions): Call<GetWebhookAnswer>;
    /** The secret that signs events sent to the `webhook_url` of a single job or batch. */
    secret(options?: CallOptions): Call<GetWebhookSecretAnswer>;
    /** Deliveries of the account, newest first; those to a `webhook_url` included. */
    listDeliveries(query?: ListDeliveriesQuery, options?: CallOptions): Listing<ListDeliveriesAnswer, ListDeliveriesAnswer['deliveries'][number]>;
    /** Deliveries of one webhook, newest first. */
    listDeliveriesOf(id: string, query?: ListWebhookDeliveriesQuery, options?: CallOptions): Listing<ListWebhookDeliveriesAnswer, ListWebhookDeliveriesAnswer['deliveries'][number]>;
    /** Webhooks of the account, newest first. */
    list(query?: ListWebhooksQuery, options?: CallOptions): Listing<ListWebhooksAnswer, ListWebhooksAnswer['webhooks'][number]>;
    /** Send a delivery again, with the same id and payload. */
    replayDelivery(deliveryId: string, options?: CallOptions): Call<ReplayDeliveryAnswer>;
    /** Send a delivery of this webhook again, with the same id and payload. */
    replayDeliveryOf(id: string, deliveryId: string, options?: CallOptions): Call<ReplayWebhookDeliveryAnswer>;
    /** Replace the secret that signs events sent to a `webhook_url`. */
    rotateSecret(options?: CallOptions): Call<RotateWebhookSecretAnswer>;
    /** Change the URL or events of a webhook, or switch it off and on. */
    update(id: string, body: UpdateWebhookInput, options?: CallOptions): Call<UpdateWebhookAnswer>;
  };
}

/** Where every operation is. */
export const ROUTES: Routes = {
  apis: {
    get: { method: 'GET', path: '/v1/apis/{id}', answer: 'json' },
    list: { method: 'GET', path: '/v1/apis', answer: 'json' },
    call: { method: 'POST', path: '/v1/{id}', takes: 'body', isMetered: true, answer: 'json' },
  },
  batches: {
    cancel: { method: 'POST', path: '/v1/batches/{id}/cancel', answer: 'json' },
    create: { method: 'POST', path: '/v1/batches', takes: 'body', creates: true, isMetered: true, answer: 'json' },
    createFromFile: { method: 'POST', path: '/v1/batches', takes: 'parts', creates: true, isMetered: true, answer: 'json' },
    export: { method: 'GET', path: '/v1/batches/{id}/export', hasQuery: true, answer: 'stream' },
    get: { method: 'GET', path: '/v1/batches/{id}', answer: 'json' },
    waitFor: { method: 'GET', path: '/v1/batches/{id}', answer: 'wait', events: '/v1/batches/{id}/events' },
    failures: { method: 'GET', path: '/v1/batches/{id}/failures', hasQuery: true, answer: 'list', list: 'failures' },
    results: { method: 'GET', path: '/v1/batches/{id}/results', hasQuery: true, answer: 'list', list: 'results' },
    list: { method: 'GET', path: '/v1/batches', hasQuery: true, answer: 'list', list: 'batches' },
    retry: { method: 'POST', path: '/v1/batches/{id}/retry', takes: 'body', creates: true, answer: 'json' },
    watch: { method: 'GET', path: '/v1/batches/{id}/events', answer: 'events' },
  },
  credits: {
    get: { method: 'GET', path: '/v1/credits', answer: 'json' },
    listLedger: { method: 'GET', path: '/v1/credits/ledger', hasQuery: true, answer: 'list', list: 'entries' },
  },
  crons: {
    backfill: { method: 'POST', path: '/v1/crons/{id}/backfill', takes: 'body', creates: true, answer: 'json' },
    create: { method: 'POST', path: '/v1/crons', takes: 'body', creates: true, answer: 'json' },
    delete: { method: 'DELETE', path: '/v1/crons/{id}', answer: 'empty' },
    get: { method: 'GET', path: '/v1/crons/{id}', answer: 'json' },
    listRuns: { method: 'GET', path: '/v1/crons/{id}/runs', hasQuery: true, answer: 'list', list: 'runs' },
    list: { method: 'GET', path: '/v1/crons', hasQuery: true, answer: 'list', list: 'crons' },
    preview: { method: 'POST', path: '/v1/crons/preview', takes: 'body', answer: 'json' },
    trigger: { method: 'POST', path: '/v1/crons/{id}/trigger', creates: true, answer: 'json' },
    update: { method: 'PUT', path: '/v1/crons/{id}', takes: 'body', answer: 'json' },
  },
  databases: {
    create: { method: 'POST', path: '/v1/databases', takes: 'body', creates: true, answer: 'json' },
    createCredentials: { method: 'POST', path: '/v1/databases/{id}/credentials', creates: true, answer: 'json' },
    delete: { method: 'DELETE', path: '/v1/databases/{id}', answer: 'empty' },
    dropTable: { method: 'DELETE', path: '/v1/databases/{id}/tables/{table}', answer: 'empty' },
    exportTable: { method: 'GET', path: '/v1/databases/{id}/tables/{table}/export', hasQuery: true, answer: 'stream' },
    get: { method: 'GET', path: '/v1/databases/{id}', answer: 'json' },
    list: { method: 'GET', path: '/v1/databases', hasQuery: true, answer: 'list', list: 'databases' },
    listRows: { method: 'GET', path: '/v1/databases/{id}/tables/{table}/rows', hasQuery: true, answer: 'list', list: 'rows' },
    update: { method: 'PUT', path: '/v1/databases/{id}', takes: 'body', answer: 'json' },
  },
  extraction: {
    parseHtml: { method: 'POST', path: '/v1/parse/{parserId}', takes: 'body', hasQuery: true, isMetered: true, answer: 'json' },
    parseHtmlFromFile: { method: 'POST', path: '/v1/parse/{parserId}', takes: 'parts', hasQuery: true, isMetered: true, answer: 'json' },
    scrape: { method: 'GET', path: '/v1/scrape/{parserId}', hasQuery: true, isMetered: true, answer: 'json' },
  },
  jobs: {
    cancel: { method: 'POST', path: '/v1/jobs/{id}/cancel', answer: 'json' },
    create: { method: 'POST', path: '/v1/jobs', takes: 'body', creates: true, isMetered: true, answer: 'json' },
    get: { method: 'GET', path: '/v1/jobs/{id}', answer: 'json' },
    waitFor: { method: 'GET', path: '/v1/jobs/{id}', answer: 'wait' },
    list: { method: 'GET', path: '/v1/jobs', hasQuery: true, answer: 'list', list: 'jobs' },
  },
  parsers: {
    create: { method: 'POST', path: '/v1/parsers', takes: 'body', creates: true, answer: 'json' },
    delete: { method: 'DELETE', path: '/v1/parsers/{id}', answer: 'empty' },
    get: { method: 'GET', path: '/v1/parsers/{id}', answer: 'json' },
    listVersions: { method: 'GET', path: '/v1/parsers/{id}/versions', hasQuery: true, answer: 'list', list: 'versions' },
    list: { method: 'GET', path: '/v1/parsers', hasQuery: true, answer: 'list', list: 'parsers' },
    preview: { method: 'POST', path: '/v1/parsers/preview', takes: 'body', isMetered: true, answer: 'json' },
    restoreVersion: { method: 'POST', path: '/v1/parsers/{id}/versions/{n}/restore', answer: 'json' },
    update: { method: 'PUT', path: '/v1/parsers/{id}', takes: 'body', answer: 'json' },
  },
  schemas: {
    parserLanguage: { method: 'GET', path: '/v1/schemas/parser', answer: 'json' },
  },
  webhooks: {
    create: { method: 'POST', path: '/v1/webhooks', takes: 'body', creates: true, answer: 'json' },
    delete: { method: 'DELETE', path: '/v1/webhooks/{id}', answer: 'empty' },
    get: { method: 'GET', path: '/v1/webhooks/{id}', answer: 'json' },
    secret: { method: 'GET', path: '/v1/webhooks/secret', answer: 'json' },
    listDeliveries: { method: 'GET', path: '/v1/webhooks/deliveries', hasQuery: true, answer: 'list', list: 'deliveries' },
    listDeliveriesOf: { method: 'GET', path: '/v1/webhooks/{id}/deliveries', hasQuery: true, answer: 'list', list: 'deliveries' },
    list: { method: 'GET', path: '/v1/webhooks', hasQuery: true, answer: 'list', list: 'webhooks' },
    replayDelivery: { method: 'POST', path: '/v1/webhooks/deliveries/{deliveryId}/replay', answer: 'json' },
    replayDeliveryOf: { method: 'POST', path: '/v1/webhooks/{id}/deliveries/{deliveryId}/replay', answer: 'json' },
    rotateSecret: { method: 'POST', path: '/v1/webhooks/secret', answer: 'json' },
    update: { method: 'PUT', path: '/v1/webhooks/{id}', takes: 'body', answer: 'json' },
  },
};
