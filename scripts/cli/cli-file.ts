import { exampleOf, isForPrograms, sinkSchema, type Operation } from '@gleaner/contracts';
import { z } from 'zod';
import { listOperations } from '../client/client-operations.ts';
import { alternativesOf, fieldsOf, schemaOf, type Property } from './cli-fields.ts';

/** Fields that a command takes beside those of its operation: a crawl's sink is that of each route. */
const FURTHER: Readonly<Record<string, Record<string, z.ZodType>>> = { createCrawl: { sink: sinkSchema } };

/** The name of the list in the answer: `batches`. */
function listIn({ query, answer }: Operation): string | undefined {
  if (query?.shape['cursor'] === undefined) return undefined;
  const shape = 'schema' in answer && answer.schema instanceof z.ZodObject ? answer.schema.shape : {};
  return Object.entries(shape).find(([, member]) => member instanceof z.ZodArray)?.[0];
}

function bodyOf({ id, body }: Operation): Property {
  const own = schemaOf(body);
  const further = Object.entries(FURTHER[id] ?? {}).map(([name, one]) => [name, schemaOf(one)]);
  return further.length === 0 ? own : { properties: { ...own.properties, ...Object.fromEntries(further) } };
}

function lines(values: readonly object[]): string {
  return `[\n${values.map((value) => `  ${JSON.stringify(value)},\n`).join('')}]`;
}

function operationText(operation: Operation): string {
  const { id, method, path, summary, params, query, body, answer, auth } = operation;
  const { params: words = {}, body: exampleBody } = exampleOf(operation);
  const list = listIn(operation);
  const head = {
    id,
    method,
    path,
    summary,
    params: Object.keys(params?.shape ?? {}),
    ...(list !== undefined && { list }),
    ...(answer.kind === 'stream' && { isStream: true }),
    ...(auth === 'public' && { isPublic: true }),
    example: { params: Object.values(words), body: exampleBody },
  };
  const schema = bodyOf(operation);
  return [
    `{ ...${JSON.stringify(head)},`,
    `query: ${lines(fieldsOf(schemaOf(query)))},`,
    ...(body ? [`body: ${lines(fieldsOf(schema))},`, `alternatives: ${lines(alternativesOf(schema))},`] : []),
    '}',
  ].join('\n');
}

/** What the command line knows of the operations: a command that is called loads no schema. */
export function cliOperationsFile(): string {
  const operations = listOperations().filter(isForPrograms);
  return [
    '// Generated from the operation table of @gleaner/contracts by `npm run docs`; don’t edit.',
    "import type { Operation } from '../inputs/operation.ts';",
    '',
    '/** The operations that programs may call, without the prebuilt APIs. */',
    `export const OPERATIONS: readonly Operation[] = [\n${operations.map(operationText).join(',\n')},\n];`,
    '',
  ].join('\n');
}
