import { AppError, type Operation } from '@gleaner/contracts';
import type { CallInput } from '@gleaner/core';
import { z } from 'zod';
import { isJsonInText, namesOf } from './tool-schema.ts';

/** An agent gives an object where a query has JSON as a text. */
function asQueryValue(schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined || typeof value !== 'object' || value === null) return value;
  return isJsonInText(z.globalRegistry.get(schema)) ? JSON.stringify(value) : value;
}

/**
 * Splits the arguments of a tool into the parts of its operation's input. An unknown name goes to a part that
 * takes fields, so that its validation reports the name.
 * @throws AppError invalid_request when the operation takes no such argument
 */
export function readArguments(operation: Operation, args: Readonly<Record<string, unknown>>): CallInput {
  const { params, query, body } = operation;
  const inParams = new Set(namesOf(params));
  const shape: Readonly<Record<string, z.ZodType>> = query?.shape ?? {};
  const rest = body ? 'body' : query ? 'query' : params ? 'params' : undefined;
  const parts: Record<'params' | 'query' | 'body', Record<string, unknown>> = {
    params: {},
    query: {},
    body: {},
  };
  for (const [name, value] of Object.entries(args)) {
    const part = inParams.has(name) ? 'params' : Object.hasOwn(shape, name) ? 'query' : rest;
    if (part === undefined) {
      throw new AppError('invalid_request', { field: name, detail: 'the tool takes no such argument' });
    }
    parts[part][name] =
      part === 'query' && Object.hasOwn(shape, name) ? asQueryValue(shape[name], value) : value;
  }
  return parts;
}
