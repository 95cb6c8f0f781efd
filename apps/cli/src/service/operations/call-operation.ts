import type { Client, Download } from '@gleaner/client';
import type { Command } from 'commander';
import { collect } from '../../collect.ts';
import { note, print, printJson, printRows } from '../../terminal/output.ts';
import { saveDownload } from '../../terminal/save-download.ts';
import type { Row } from '../../terminal/table.ts';
import { connect, connectPublic, type ServiceFlags } from '../connection/connect.ts';
import { findId, hasNames } from '../connection/find-id.ts';
import { pick } from '../records/columns.ts';
import { isDryRun, printDryRun } from '../records/print-dry-run.ts';
import { ANSWERS, GROUPS, LISTS, type Group, type GroupName } from '../records/records.ts';
import type { ReadBody } from './body-options.ts';
import { exportQuery, type ExportFlags } from './export-query.ts';
import type { Operation } from '../inputs/operation.ts';

/** What a person sees of a list; a program that reads a pipe wants all of it. */
export const SHOWN = 20;

interface Flags extends ServiceFlags, ExportFlags {
  limit?: number;
  all?: boolean;
  urls?: boolean;
}

/** A call as its command describes it. */
export interface OperationCall {
  operation: Operation;
  group: GroupName;
  command: Command;
  read?: ReadBody | undefined;
}

interface CallInput {
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  body?: object | undefined;
}

interface Asked {
  operation: Operation;
  group: Group;
  input: CallInput;
  flags: Flags;
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** Calls an operation of the table. The service checks what it is given. */
function callAny(client: Client, id: string, input: CallInput): Promise<unknown> {
  const call = client.call as (name: string, given: CallInput) => Promise<unknown>;
  return call(id, input);
}

/** Calls an operation with the words and options of its command, and prints the answer. */
export async function callOperation({ operation, group, command, read }: OperationCall): Promise<void> {
  const flags = command.opts<Flags & Record<string, unknown>>();
  const exported = operation.isStream === true ? exportQuery(flags) : {};
  const client = operation.isPublic === true ? connectPublic(flags) : connect(flags);
  const given: unknown[] = command.processedArgs;
  const params: Record<string, unknown> = Object.fromEntries(
    operation.params.map((name, at) => [name, given[at]]),
  );
  if (hasNames(group) && typeof params['id'] === 'string')
    params['id'] = await findId(client, group, params['id']);
  const filters = operation.query.filter(({ path }) => path !== 'cursor' && path !== 'limit');
  const chosen = Object.fromEntries(filters.map(({ path }) => [path, flags[camelCase(path)]]));
  const body = await read?.(client, given[operation.params.length] as string[] | undefined);
  if (operation.id === 'createCron' && body) body['description'] ??= body['name'];
  const input = { params, query: { ...chosen, ...exported }, body };
  const asked = { operation, group: GROUPS[group], input, flags };
  if (operation.isStream === true) {
    const id = flags.urls === true ? 'exportCrawlUrls' : operation.id;
    await saveDownload((await callAny(client, id, input)) as Download, flags.output);
  } else if (operation.list === undefined) printAnswer(await callAny(client, operation.id, input), asked);
  else await printList(client, operation.list, asked);
}

/** Their record stays. */
const RESULTS_ALONE: ReadonlySet<string> = new Set(['deleteJob', 'deleteBatch', 'deleteWorkflowRun']);

function printAnswer(answer: unknown, { operation, group, input, flags }: Asked): void {
  const { id, method } = operation;
  const { prefix, columns, print: printRecord } = group;
  if (answer === undefined) {
    const name = String(Object.values(input.params).at(-1));
    return note(
      RESULTS_ALONE.has(id) ? `The results of ${name} are deleted; its record stays.` : `${name} is deleted.`,
    );
  }
  if (typeof answer !== 'object' || answer === null) return printJson(answer);
  if (isDryRun(answer)) return printDryRun(answer, flags);
  if (flags.json === true) return printJson(answer);
  const own = ANSWERS[id];
  if (own) return own(answer);
  const isRecord = 'id' in answer && String(answer.id).startsWith(prefix);
  if (isRecord && printRecord) return printRecord(answer);
  if (isRecord && columns !== undefined && method !== 'GET') return printRows([pick(answer, columns)]);
  printJson(answer);
}

interface ListPage {
  [list: string]: unknown;
  cursor?: string;
  pagination?: { cursor: string | null };
}

/** The records of a list, page by page. The end of a list that still grows is its end for now. */
async function* recordsOf(
  client: Client,
  list: string,
  { operation, input, flags }: Asked,
): AsyncGenerator<object> {
  let left = flags.all === true ? Infinity : (flags.limit ?? (process.stdout.isTTY ? SHOWN : Infinity));
  let cursor: string | null | undefined;
  do {
    const query = { ...input.query, limit: Math.min(100, left), ...(cursor === undefined ? {} : { cursor }) };
    const page = (await callAny(client, operation.id, { ...input, query })) as ListPage;
    const records = page[list] as object[];
    yield* records.slice(0, left);
    left -= records.length;
    cursor = records.length === 0 ? undefined : (page.pagination?.cursor ?? page.cursor);
  } while (left > 0 && cursor !== undefined && cursor !== null);
}

/** What records show by themselves: the members without further members. Those of a table are data: the others are named. */
function plainRows(records: readonly object[], list: string): Row[] {
  const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const valueOf = (record: object, name: string): unknown => (record as Row)[name] ?? null;
  const plain = names.filter((name) => records.every((record) => isPlain(valueOf(record, name))));
  const others = names.filter((name) => !plain.includes(name));
  if (list === 'rows' && others.length > 0) note(`Left out: ${others.join(', ')} (--json has all columns).`);
  return records.map((record) => Object.fromEntries(plain.map((name) => [name, valueOf(record, name)])));
}

async function printList(client: Client, list: string, asked: Asked): Promise<void> {
  const { operation, group, flags } = asked;
  const records = recordsOf(client, list, asked);
  // Data of pages and tables is a line each, for jq.
  if (list === 'results' || (list === 'rows' && flags.json === true)) {
    for await (const record of records) print(JSON.stringify(record));
    return;
  }
  const found = await collect(records);
  if (flags.json === true) return printJson({ [list]: found });
  const isOwn = GROUPS[operation.path.slice('/v1/'.length) as GroupName] === group;
  const columns = LISTS[list] ?? (isOwn ? group.columns : undefined);
  printRows(columns === undefined ? plainRows(found, list) : found.map((record) => pick(record, columns)));
}
