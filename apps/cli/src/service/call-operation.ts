import type { Operation } from '@gleaner/contracts';
import type { Client } from '@gleaner/client';
import type { Command } from 'commander';
import { z } from 'zod';
import { note, print, printJson, printRows } from '../terminal/output.ts';
import type { Row } from '../terminal/table.ts';
import { collect, connect, mostOf, findId, hasNames, type ListFlags } from './service-command.ts';
import { readParameters } from './parameters.ts';
import { ANSWERS, GROUPS, LINES, type Group } from './records.ts';

/** A field of an input, as JSON Schema describes it. */
export interface Property {
  type?: string;
  description?: string;
  enum?: string[];
  anyOf?: Property[];
}

/** The fields of an input as JSON Schema describes them. */
export function propertiesOf(schema: z.ZodType | undefined): Readonly<Record<string, Property>> {
  if (schema === undefined) return {};
  const { properties } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return (properties ?? {}) as Record<string, Property>;
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

interface CallInput {
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  body?: object | undefined;
}

/** An operation and what its command was given. */
interface Asked {
  operation: Operation;
  group: keyof typeof GROUPS;
  input: CallInput;
  flags: ListFlags;
}

/** Calls an operation with the words and options of its command, and prints the answer. */
export async function callOperation(
  operation: Operation,
  group: Asked['group'],
  command: Command,
): Promise<void> {
  const flags = command.opts<ListFlags & Record<string, unknown>>();
  const client = connect(flags);
  const given: unknown[] = command.processedArgs;
  const names = Object.keys(operation.params?.shape ?? {});
  const params: Record<string, unknown> = Object.fromEntries(names.map((name, at) => [name, given[at]]));
  if (hasNames(group) && typeof params['id'] === 'string')
    params['id'] = await findId(client, group, params['id']);
  const { cursor, limit: _limit, ...filters } = operation.query?.shape ?? {};
  const query = Object.fromEntries(Object.keys(filters).map((name) => [name, flags[camelCase(name)]]));
  const fields = propertiesOf(operation.body);
  const words = given[names.length] as string[];
  const body = operation.body && (await readParameters(words, (name) => fields[name]?.type === 'string'));
  const asked = { operation, group, input: { params, query, body }, flags };
  if (cursor !== undefined) await printList(client, asked);
  else printAnswer(await callAny(client, operation.id, asked.input), asked);
}

/** Calls an operation of the table. The service checks what it is given. */
function callAny(client: Client, id: string, input: CallInput): Promise<unknown> {
  const call = client.call as (name: string, given: CallInput) => Promise<unknown>;
  return call(id, input);
}

function printAnswer(answer: unknown, { operation, group, input, flags }: Asked): void {
  const { id, method } = operation;
  const { prefix, row, print: printRecord }: Group = GROUPS[group];
  if (answer === undefined) return note(`${String(Object.values(input.params).at(-1))} is deleted.`);
  if (flags.json === true || typeof answer !== 'object' || answer === null) return printJson(answer);
  const own = ANSWERS[id];
  if (own) return own(answer);
  const isRecord = 'id' in answer && String(answer.id).startsWith(prefix);
  if (isRecord && printRecord) return printRecord(answer);
  if (isRecord && row && method !== 'GET') return printRows([row(answer)]);
  printJson(answer);
}

/** The name of the list in the answer: `batches`. */
function listIn({ id, answer }: Operation): string {
  const shape = 'schema' in answer && answer.schema instanceof z.ZodObject ? answer.schema.shape : {};
  const found = Object.entries(shape).find(([, member]) => member instanceof z.ZodArray);
  if (!found) throw new Error(`the answer of ${id} has no list`);
  return found[0];
}

interface ListPage {
  [list: string]: unknown;
  cursor?: string;
  pagination?: { cursor: string | null };
}

/** The records of a list, page by page. The end of a list that still grows is its end for now. */
async function* recordsOf(client: Client, { operation, input }: Asked): AsyncGenerator<object> {
  const list = listIn(operation);
  let cursor: string | null | undefined;
  do {
    const query = { ...input.query, limit: 100, ...(cursor === undefined ? {} : { cursor }) };
    const page = (await callAny(client, operation.id, { ...input, query })) as ListPage;
    const records = page[list] as object[];
    yield* records;
    cursor = records.length === 0 ? undefined : (page.pagination?.cursor ?? page.cursor);
  } while (cursor !== undefined && cursor !== null);
}

/** What a record shows by itself: its members without further members. */
function plainRow(record: object): Row {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => typeof value !== 'object' || value === null),
  );
}

async function printList(client: Client, asked: Asked): Promise<void> {
  const { operation, group, flags } = asked;
  const list = listIn(operation);
  const records = recordsOf(client, asked);
  // Data of pages and tables is a line each, for jq.
  if (list === 'results' || (list === 'rows' && flags.json === true)) {
    let left = mostOf(flags);
    for await (const record of records) {
      print(JSON.stringify(record));
      left -= 1;
      if (left === 0) break;
    }
    return;
  }
  const found = await collect(records, mostOf(flags));
  if (flags.json === true) return printJson({ [list]: found });
  const { row }: Group = GROUPS[group];
  const isOwn = operation.path === `/v1/${group}`;
  printRows(found.map(LINES[list] ?? (isOwn ? row : undefined) ?? plainRow));
}
