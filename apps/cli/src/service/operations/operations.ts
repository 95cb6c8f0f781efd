import * as contracts from '@gleaner/contracts';
import { exampleOf, isForPrograms, sinkSchema, type Operation as Described } from '@gleaner/contracts';
import { z } from 'zod';
import type { Operation } from '../inputs/operation.ts';
import { alternativesOf, fieldsOf, schemaOf, type Property } from './schema-fields.ts';

/** Fields that a command takes beside those of its operation: a crawl's sink is that of each route. */
const FURTHER: Readonly<Record<string, Record<string, z.ZodType>>> = { createCrawl: { sink: sinkSchema } };

function isOperation(value: unknown): value is Described {
  return typeof value === 'object' && value !== null && 'path' in value && 'answer' in value;
}

/** The name of the list in the answer: `batches`. */
function listIn({ query, answer }: Described): string | undefined {
  if (query?.shape['cursor'] === undefined) return undefined;
  const shape = 'schema' in answer && answer.schema instanceof z.ZodObject ? answer.schema.shape : {};
  return Object.entries(shape).find(([, member]) => member instanceof z.ZodArray)?.[0];
}

function bodyOf({ id, body }: Described): Property {
  const own = schemaOf(body);
  const further = Object.entries(FURTHER[id] ?? {}).map(([name, one]) => [name, schemaOf(one)]);
  return further.length === 0 ? own : { properties: { ...own.properties, ...Object.fromEntries(further) } };
}

function toOperation(operation: Described): Operation {
  const { id, method, path, summary, params, query, body, answer, auth } = operation;
  const { params: words = {}, body: exampleBody } = exampleOf(operation);
  const list = listIn(operation);
  const schema = bodyOf(operation);
  return {
    id,
    method,
    path,
    summary,
    params: Object.keys(params?.shape ?? {}),
    query: fieldsOf(schemaOf(query)),
    ...(body && { body: fieldsOf(schema), alternatives: alternativesOf(schema) }),
    ...(list !== undefined && { list }),
    ...(answer.kind === 'stream' && { isStream: true }),
    ...(auth === 'public' && { isPublic: true }),
    example: { params: Object.values(words), body: exampleBody },
  };
}

/**
 * The operations that programs may call, without the prebuilt APIs. A bundle has them as a constant, so that a command
 * loads no schema (scripts/bundle.ts).
 */
export const OPERATIONS: readonly Operation[] = Object.values<unknown>(contracts)
  .filter(isOperation)
  .filter(isForPrograms)
  .map(toOperation);
