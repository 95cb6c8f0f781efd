import { cutText, isObject, type WebhookEvent } from '@gleaner/contracts';
import type { AlertEvent, Line } from './alert-event.ts';
import { describeRows } from './describe-rows.ts';

/** The events of one message. */
export interface AlertGroup {
  type: 'alert';
  /** How many there are of each kind. */
  counts: Record<string, number>;
  /** The first ones. */
  events: AlertEvent[];
}

/** Events that a message shows; the others are a number. */
const MAX_SHOWN = 10;

/** A message before its channel gives it a shape. */
export interface Message {
  /** Words of our own alone. */
  title: string;
  lines: Line[];
  /** Events that are not shown. */
  more: number;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** A line about what this page shows; its words are a template, so nothing given is among them. */
function lineAt(path: string): (words: TemplateStringsArray, ...given: readonly unknown[]) => Line {
  return (words, ...given) => ({ path, words, given: given.map(textOf) });
}

function asEvent(value: unknown): AlertEvent {
  const event = isObject(value) ? value : {};
  const data = isObject(event.data) ? event.data : {};
  return {
    type: typeof event.type === 'string' ? event.type : '',
    ...(event.resolved === true ? { resolved: true } : {}),
    data,
  };
}

function failuresOf({ data: { status, counts } }: AlertEvent): boolean {
  return status === 'failed' || (isObject(counts) && Number(counts.failed) > 0);
}

/** One event and several of the same kind, in words. */
const KINDS: Readonly<Record<string, readonly [one: string, several: string]>> = {
  'job.finished': ['A job has ended', 'jobs have ended'],
  'job.finished.failed': ['A job has failed', 'jobs have failed'],
  'batch.finished': ['A batch has ended', 'batches have ended'],
  'batch.finished.failed': ['A batch has failures', 'batches have failures'],
  'workflow_run.finished': ['A workflow run has ended', 'workflow runs have ended'],
  'workflow_run.finished.failed': ['A workflow run has failures', 'workflow runs have failures'],
  'cron.fired': ['A cron has started a run', 'crons have started runs'],
  'cron.failed': ['A cron has failed', 'failures of crons'],
  'cron.failed.resolved': ['Resolved: a cron succeeds again', 'crons succeed again'],
  'parser.drift': ['A parser reads less than before', 'parsers read less than before'],
  'parser.drift.resolved': ['Resolved: a parser reads its pages again', 'parsers read their pages again'],
  'credits.low': ['Credits are low', 'reports of low credits'],
  'credits.low.resolved': ['Resolved: credits are no longer low', 'reports of enough credits'],
  'rows.changed': ['Rows have changed', 'tables have changed rows'],
  'alert.test': ['A test', 'tests'],
};

function kindOf(event: AlertEvent): string {
  if (event.resolved === true) return `${event.type}.resolved`;
  return event.type.endsWith('.finished') && failuresOf(event) ? `${event.type}.failed` : event.type;
}

/** The events of a stored payload: one event, or those of a message that were gathered before. */
function groupOf(payload: string): AlertGroup {
  const value: unknown = JSON.parse(payload);
  // Only `gather` writes this type.
  if (isObject(value) && value.type === 'alert') return value as unknown as AlertGroup;
  const event = asEvent(value);
  return { type: 'alert', counts: { [kindOf(event)]: 1 }, events: [event] };
}

/** All events of several payloads, counted, with the first ten. */
export function gather(payloads: readonly string[]): AlertGroup {
  const groups = payloads.map(groupOf);
  const counts: Record<string, number> = {};
  for (const group of groups)
    for (const [kind, n] of Object.entries(group.counts)) counts[kind] = (counts[kind] ?? 0) + n;
  return { type: 'alert', counts, events: groups.flatMap(({ events }) => events).slice(0, MAX_SHOWN) };
}

function describeRun({ type, data }: AlertEvent, path: string): Line {
  const { id, name, status, counts } = data;
  const { succeeded, total, failed } = isObject(counts) ? counts : {};
  const what = type === 'batch.finished' ? 'Batch' : 'Workflow run';
  return lineAt(path)`${what} ${name ?? id} ${status}: ${succeeded} of ${total} succeeded, ${failed} failed`;
}

function describeJob(event: AlertEvent): Line {
  const { id, status, error } = event.data;
  const line = lineAt(`/runs/jobs/${idOf(event)}`);
  return isObject(error)
    ? line`Job ${id} failed: ${error.error}. ${error.detail}`
    : line`Job ${id} ${status}`;
}

function describeCron(event: AlertEvent): Line {
  const { type, resolved, data } = event;
  const { name, reason, paused_reason: paused } = data;
  const line = lineAt(`/crons/${idOf(event)}`);
  if (resolved === true) return line`Cron ${name} succeeds again`;
  if (type === 'cron.fired') return line`Cron ${name} has started a run`;
  if (typeof paused === 'string') return line`Cron ${name} failed and is paused: ${paused}`;
  return line`Cron ${name} failed: ${reason}`;
}

function describeParser({ resolved, data }: AlertEvent): Line {
  const { parser_id: id, parser = id, host, fields } = data;
  const line = lineAt(`/parsers/${encodeURIComponent(textOf(id))}/health`);
  if (resolved === true) return line`Parser ${parser} reads ${host} again`;
  return line`Parser ${parser} on ${host} reads less than before: ${Array.isArray(fields) ? fields.join(', ') : ''}`;
}

/** An id of an event in an address. */
function idOf({ data }: AlertEvent): string {
  return typeof data.id === 'string' ? encodeURIComponent(data.id) : '';
}

const DESCRIPTIONS = {
  'job.finished': describeJob,
  'batch.finished': (event) => describeRun(event, `/runs/batches/${idOf(event)}`),
  'workflow_run.finished': (event) => describeRun(event, `/workflow-runs/${idOf(event)}`),
  'cron.fired': describeCron,
  'cron.failed': describeCron,
  'parser.drift': describeParser,
  'rows.changed': describeRows,
  'credits.low': ({ data }) => lineAt('/credits')`${data.balance} credits are left`,
} satisfies Record<WebhookEvent, (event: AlertEvent) => Line>;

function describeEvent(event: AlertEvent): Line {
  const describe: Readonly<Record<string, (event: AlertEvent) => Line>> = DESCRIPTIONS;
  return describe[event.type]?.(event) ?? lineAt('/alerts')`This is a test of the alert ${event.data.name}`;
}

/** Kinds of events from the worst on, as `KINDS` names them. */
const WORST = [
  'cron.failed',
  'batch.finished.failed',
  'workflow_run.finished.failed',
  'job.finished.failed',
  'parser.drift',
  'credits.low',
];

/** `A cron has failed`, `3 batches have failures`, or the worst kind `and 2 other events`. */
function titleOf(counts: Readonly<Record<string, number>>): string {
  const total = Object.values(counts).reduce((sum, n) => sum + n, 0);
  const kinds = Object.keys(counts);
  const kind = WORST.find((worst) => kinds.includes(worst)) ?? kinds[0] ?? '';
  const words = KINDS[kind];
  const count = counts[kind] ?? 0;
  if (words === undefined) return `${total} events`;
  const title = count === 1 ? words[0] : `${count} ${words[1]}`;
  const others = total - count;
  if (others === 0) return title;
  return `${title}, and ${others === 1 ? 'another event' : `${others} other events`}`;
}

/** What a message says. */
export function describeGroup({ counts, events }: AlertGroup): Message {
  const total = Object.values(counts).reduce((sum, n) => sum + n, 0);
  return { title: titleOf(counts), lines: events.map(describeEvent), more: total - events.length };
}

/** Longest text from elsewhere in a line. */
const MAX_GIVEN = 300;

/**
 * A text from elsewhere in one line, without control characters, in which no program finds an address, a domain or a
 * mention: an invisible space stands after what would make one.
 */
export function plainText(text: string): string {
  // A number is copied as it is.
  if (/^-?\d{1,40}(\.\d{1,40})?$/.test(text)) return text;
  return cutText(text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' '), MAX_GIVEN).replaceAll(
    /[.@:](?=\S)/g,
    '$&\u200B',
  );
}

/** The lines of a message as text, with the address of the page that shows each. */
export function writeLines(
  { lines, more }: Message,
  {
    baseUrl,
    escape,
    link,
  }: { baseUrl: string; escape: (text: string) => string; link: (url: string) => string },
): string[] {
  const shown = lines.map(({ words, given, path }) => {
    const text = words.map((word, at) => word + escape(plainText(given[at] ?? ''))).join('');
    return `${text}\n${link(baseUrl + path)}`;
  });
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}
