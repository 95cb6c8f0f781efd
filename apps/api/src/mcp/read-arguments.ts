import { AppError, nearestName, parseExactJson, type Operation } from '@gleaner/contracts';
import type { CallInput } from '@gleaner/core';
import { z } from 'zod';
import { isJsonInText, namesOf } from './tool-schema.ts';

type Shape = Readonly<Record<string, z.ZodType>>;

/** What describes a field, which may have been described before it became optional. */
function metaOf(schema: z.ZodType): unknown {
  const meta = z.globalRegistry.get(schema);
  return meta === undefined && (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    ? metaOf(schema.unwrap() as z.ZodType)
    : meta;
}

/** An agent gives an object where a query has JSON as a text. */
function asQueryValue(schema: z.ZodType, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return isJsonInText(metaOf(schema)) ? JSON.stringify(value) : value;
}

/** Many agents write an object or a list as JSON text. */
export function readJsonText(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return parseExactJson(value);
  } catch {
    return value;
  }
}

/** @throws AppError invalid_request that names the argument, the most similar one and all others */
function refuseUnknown(args: Readonly<Record<string, unknown>>, known: readonly string[]): void {
  const unknown = Object.keys(args).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, known);
  throw new AppError('invalid_request', {
    field: unknown,
    detail:
      known.length === 0
        ? 'the tool takes no arguments'
        : `the tool takes no such argument; its arguments are ${known.join(', ')}`,
    ...(nearest === undefined ? {} : { hint: `Did you mean ${nearest}?` }),
  });
}

/** The same arguments with another name for one; where both are given they stay. */
function renamed(
  args: Readonly<Record<string, unknown>>,
  from: string,
  to: string,
): Readonly<Record<string, unknown>> {
  if (from === to || !Object.hasOwn(args, from) || Object.hasOwn(args, to)) return args;
  const { [from]: value, ...others } = args;
  return { ...others, [to]: value };
}

/**
 * Splits the arguments of a tool into the parts of its operation's input.
 * @param idName the tool's argument for the operation's `id`
 * @param omitted an argument of the operation that the tool doesn't take
 * @throws AppError invalid_request when the operation takes no such argument
 */
export function readArguments(
  operation: Operation,
  given: Readonly<Record<string, unknown>>,
  { idName = 'id', omitted }: { idName?: string | undefined; omitted?: string | undefined } = {},
): CallInput {
  const { params, query, body } = operation;
  const inParams = new Set(namesOf(params));
  // A parser's id may also be given as `id`.
  const shown = renamed(given, 'id', inParams.has('parserId') ? 'parserId' : idName);
  const args = renamed(shown, idName, 'id');
  const inQuery: Shape = query?.shape ?? {};
  const inBody: Shape | undefined =
    body === undefined ? {} : body instanceof z.ZodObject ? body.shape : undefined;
  // A body of another form checks its names itself.
  if (inBody) {
    const ofPath = [...inParams].map((name) => (name === 'id' ? idName : name));
    const names = [...ofPath, ...Object.keys(inQuery), ...Object.keys(inBody)];
    refuseUnknown(
      shown,
      names.filter((name) => name !== omitted),
    );
  }
  const parts: Record<'params' | 'query' | 'body', Record<string, unknown>> = {
    params: {},
    query: {},
    body: {},
  };
  for (const [name, value] of Object.entries(args)) {
    const ofQuery = Object.hasOwn(inQuery, name) ? inQuery[name] : undefined;
    const ofBody = inBody && Object.hasOwn(inBody, name) ? inBody[name] : undefined;
    if (inParams.has(name)) parts.params[name] = value;
    else if (ofQuery) parts.query[name] = asQueryValue(ofQuery, value);
    // A field that takes texts keeps the text.
    else parts.body[name] = !ofBody || ofBody.safeParse(value).success ? value : readJsonText(value);
  }
  return parts;
}
