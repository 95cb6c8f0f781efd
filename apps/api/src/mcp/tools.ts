import {
  API_IDS,
  API_OPERATIONS,
  AppError,
  isApiId,
  nearestName,
  shortenText,
  type Operation,
} from '@gleaner/contracts';
import { operationTable, type CallInput, type OperationEntry } from '@gleaner/core';
import { z } from 'zod';
import { readArguments, readJsonText } from './read-arguments.ts';
import { inputSchemaOf, outputSchemaOf, withoutExplained, type JsonSchema } from './tool-schema.ts';
import { apiTool, CALL_API, CATALOGUE_TOOLS } from './catalogue-tools.ts';
import { DEFAULT_TOOLS, MANAGE_TOOLS, WORKFLOW_TOOLS, type ToolText } from './tool-table.ts';
import { DELETE, DELETING, DELETING_RESULTS } from './deleting-tool.ts';
import { waitSeconds, type Follow } from './wait-for-run.ts';

/** The entry of a tool in `tools/list`. */
export interface ToolDescription {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema & { type: 'object' };
  outputSchema: JsonSchema & { type: 'object' };
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    /** Absent: false. */
    idempotentHint?: boolean;
    /** Absent: true. */
    openWorldHint?: boolean;
  };
}

/** The arguments of a tool call. */
export type Arguments = Readonly<Record<string, unknown>>;

export interface Tool {
  readonly name: string;
  /** Made at the first call: the schemas of all tools would take a fifth of the start of the API. */
  readonly describe: () => ToolDescription;
  readonly text: ToolText;
  /** Whether a call costs credits: it fetches pages. */
  readonly spends: boolean;
  /** Whether the operation fits its answer into max_characters itself. */
  readonly takesBudget: boolean;
  /** The operation that these arguments ask for, and its input. @throws AppError invalid_request, not_found */
  resolve(args: Arguments): { entry: OperationEntry; input: CallInput };
  /** How to wait for the run that these arguments name; absent when the tool's work is done at once. */
  follow?: ((args: Arguments) => Follow) | undefined;
}

function asObject(schema: JsonSchema): JsonSchema & { type: 'object' } {
  return { ...schema, type: 'object' };
}

function isCharged({ credits }: Operation): boolean {
  return credits !== undefined && credits !== 0;
}

function annotate(operation: Operation, text: ToolText): ToolDescription['annotations'] {
  const { method, id } = operation;
  const spends = isCharged(operation);
  return {
    readOnlyHint: !spends && (method === 'GET' || id === 'parseHtml'),
    destructiveHint: text.isDestructive === true,
    ...(method !== 'POST' || id === 'parseHtml' ? { idempotentHint: true } : {}),
    ...(spends ? {} : { openWorldHint: false }),
  };
}

/** `updateParser` → `update_parser` */
function snakeCase(id: string): string {
  return id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function entryOf(id: string): OperationEntry {
  const entry = operationTable.find(({ operation }) => operation.id === id);
  if (!entry) throw new Error(`there is no operation ${id} in the table`);
  return entry;
}

function remember<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function schemasOf(
  operation: Operation,
  { explainedBy, followedBy, showsPages, idName, omitted }: ToolText,
): Pick<ToolDescription, 'inputSchema' | 'outputSchema'> {
  const inputOf = (of: Operation): JsonSchema =>
    inputSchemaOf(of, {
      ofTool: followedBy === undefined ? {} : { wait_seconds: waitSeconds },
      isLong: showsPages === true || of.method === 'GET',
      idName,
      omitted,
    });
  const input = inputOf(operation);
  const output = outputSchemaOf(operation);
  if (explainedBy === undefined) return { inputSchema: asObject(input), outputSchema: asObject(output) };
  const { operation: explaining } = entryOf(explainedBy);
  return {
    inputSchema: asObject(withoutExplained(input, inputOf(explaining))),
    outputSchema: asObject(withoutExplained(output, outputSchemaOf(explaining))),
  };
}

function toolOf(id: string, text: ToolText, name?: string): Tool {
  const entry = entryOf(id);
  const { operation } = entry;
  const followed = text.followedBy === undefined ? undefined : entryOf(text.followedBy);
  const toolName = name ?? operation.tool ?? snakeCase(id);
  const describe = (): ToolDescription => ({
    name: toolName,
    title: text.title,
    description: text.text,
    ...schemasOf(operation, text),
    annotations: annotate(operation, text),
  });
  return {
    name: toolName,
    describe: remember(describe),
    text,
    spends: isCharged(operation),
    takesBudget: operation.body instanceof z.ZodObject && 'max_characters' in operation.body.shape,
    resolve: (args) => ({
      entry,
      input: readArguments(operation, args, text),
    }),
    follow: followed && ((args) => ({ entry: followed, input: readArguments(followed.operation, args) })),
  };
}

/** One tool over the operations of all prebuilt APIs: its input and output depend on `id`. */
function callApiTool(): Tool {
  const any = toolOf(API_OPERATIONS[API_IDS[0] ?? 'photoapp-profile'].post.id, CALL_API, 'call_api');
  const describe = (): ToolDescription => {
    const description = any.describe();
    const { inputSchema, outputSchema } = description;
    const { max_characters } = inputSchema.properties as JsonSchema;
    return {
      ...description,
      inputSchema: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          input: { type: 'object', description: 'The parameters of the API.' },
          max_characters,
        },
        required: ['id', 'input'],
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        properties: { ...(outputSchema.properties as JsonSchema), result: { type: 'object' } },
      },
    };
  };
  return {
    ...any,
    describe: remember(describe),
    resolve: ({ id, input, ...others }) => {
      const [unknown] = Object.keys(others);
      if (unknown !== undefined) {
        throw new AppError('invalid_request', { field: unknown, detail: 'call_api takes id and input' });
      }
      if (typeof id !== 'string' || !isApiId(id)) {
        throw new AppError('not_found', {
          field: 'id',
          detail: `there is no prebuilt API ${JSON.stringify(id)}`,
          hint: `The APIs are ${API_IDS.join(', ')}.`,
        });
      }
      return { entry: entryOf(API_OPERATIONS[id].post.id), input: { body: readJsonText(input) } };
    },
  };
}

/** One tool that takes back any resource: its operation depends on the prefix of `id`. */
function deleteTool(): Tool {
  const any = toolOf('deleteParser', DELETE, 'delete');
  const describe = (): ToolDescription => {
    const description = any.describe();
    const { inputSchema } = description;
    const properties = {
      id: { type: 'string' },
      results: { type: 'boolean' },
      table: { type: 'string' },
      filter: { type: 'object' },
      count: { type: 'integer' },
    };
    return { ...description, inputSchema: { ...inputSchema, properties } };
  };
  return {
    ...any,
    describe: remember(describe),
    resolve: ({ results, ...args }) => {
      const { id, table, count } = args;
      if (table !== undefined) {
        const entry = entryOf('deleteRows');
        const asked = count === undefined ? { ...args, dry_run: true } : args;
        return { entry, input: readArguments(entry.operation, asked) };
      }
      const byPrefix = results === true ? DELETING_RESULTS : DELETING;
      const operation = typeof id === 'string' ? byPrefix[id.split('_')[0] ?? ''] : undefined;
      if (operation === undefined) {
        throw new AppError('invalid_request', {
          field: 'id',
          detail: `${shortenText(JSON.stringify(id ?? null), 100)} is no id of what this tool deletes`,
          hint: `Give an id that begins with ${Object.keys(byPrefix).join('_, ')}_; a slug does not say what it names.`,
        });
      }
      const entry = entryOf(operation);
      return { entry, input: readArguments(entry.operation, args) };
    },
  };
}

const DELETING_TOOL = deleteTool();

function toolsOf(table: Readonly<Record<string, ToolText>>): Tool[] {
  return Object.entries(table).map(([id, text]) => toolOf(id, text));
}

/** The tools by their group; a client without a selection gets `default`. */
export const TOOL_GROUPS: Readonly<Record<string, readonly Tool[]>> = {
  default: [...toolsOf(DEFAULT_TOOLS), callApiTool(), DELETING_TOOL],
  apis: [
    ...toolsOf(CATALOGUE_TOOLS),
    ...API_IDS.map((id) => toolOf(API_OPERATIONS[id].post.id, apiTool(id), id.replaceAll('-', '_'))),
  ],
  manage: [...toolsOf(MANAGE_TOOLS), DELETING_TOOL],
  workflows: toolsOf(WORKFLOW_TOOLS),
};

const BY_NAME = new Map(
  Object.values(TOOL_GROUPS)
    .flat()
    .map((tool) => [tool.name, tool]),
);

/** The names of tools by the route of their operation: `GET /v1/apis`. */
const TOOL_OF_ROUTE = new Map(
  Object.keys({ ...DEFAULT_TOOLS, ...CATALOGUE_TOOLS, ...MANAGE_TOOLS, ...WORKFLOW_TOOLS }).map((id) => {
    const { operation } = entryOf(id);
    return [`${operation.method} ${operation.path}`, operation.tool ?? snakeCase(id)];
  }),
);

/** Why a client has no tool of this name, and how to get it. */
export function explainMissing(name: string, selected: ReadonlyMap<string, Tool>): string {
  const [group] =
    Object.entries(TOOL_GROUPS).find(([, tools]) => tools.some((tool) => tool.name === name)) ?? [];
  if (group !== undefined) {
    return `${name} is a tool of the group ${group}, which this connection did not select: connect to /mcp?tools=default,${group}`;
  }
  const nearest = nearestName(name, [...selected.keys()]);
  return `there is no tool ${name}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
}

/**
 * Names tools where a text for readers of the REST API names routes, such as `GET /v1/apis`. A route without a tool stays.
 * @param text of an error or a description
 */
export function nameTools(text: string): string {
  return text.replaceAll(
    /\b(?:GET|POST|PUT|DELETE) \/v1\/[\w/{}-]+/g,
    (route) => TOOL_OF_ROUTE.get(route) ?? route,
  );
}

/**
 * The tools that a client selects with `?tools=`: names of groups and of single tools, separated by commas.
 * @throws AppError invalid_request with the name that is unknown
 */
export function selectTools(selection: string | undefined): ReadonlyMap<string, Tool> {
  const names = (selection ?? 'default').split(',').map((name) => name.trim());
  const tools = names.flatMap((name) => {
    const group = Object.hasOwn(TOOL_GROUPS, name) ? TOOL_GROUPS[name] : undefined;
    if (group) return group;
    const tool = BY_NAME.get(name);
    if (tool) return [tool];
    throw new AppError('invalid_request', {
      field: 'tools',
      detail: `there is no group or tool ${JSON.stringify(name)}`,
      hint: `The groups are ${Object.keys(TOOL_GROUPS).join(', ')}.`,
    });
  });
  return new Map(tools.map((tool) => [tool.name, tool]));
}
