import { invalid } from '../platform/invalid-request.ts';
import { isObject } from '@gleaner/contracts/values';
import { nearestName, type Operation, type UploadPart } from '@gleaner/contracts';
import type { z } from 'zod';
import type { ParsedInput } from './operation-entry.ts';
import { validate, validateBody } from './validate.ts';

/** A client's input before validation. */
export interface CallInput {
  params?: unknown;
  query?: unknown;
  /** A parsed JSON value; null and absent count as `{}`. */
  body?: unknown;
  /** The parts of a form, instead of `body`. The door checks that the operation accepts a form. */
  upload?: AsyncIterable<UploadPart> | undefined;
  /** Only operations that create use it. */
  idempotencyKey?: string | undefined;
  /** Id of the last event that the client of an event stream received. */
  lastEventId?: string | undefined;
}

/** The names in a query or body that is an object; empty for anything else. */
function namesIn(value: unknown): string[] {
  return isObject(value) ? Object.keys(value) : [];
}

function isIn(schema: z.ZodType | undefined, name: string): boolean {
  return schema !== undefined && 'shape' in schema && Object.hasOwn(schema.shape as object, name);
}

/** @throws AppError invalid_request with the first unknown query parameter */
function refuseUnknownQuery({ query, body }: Operation, given: unknown): void {
  const unknown = namesIn(given).find((name) => !isIn(query, name));
  if (unknown === undefined) return;
  if (isIn(body, unknown))
    throw invalid(unknown, `${unknown} is not a query parameter`, `Send ${unknown} in the JSON body.`);
  const known = Object.keys(query?.shape ?? {});
  const near = nearestName(unknown, known);
  const { url } = given as { url?: unknown };
  if (near === undefined && isIn(query, 'url') && typeof url === 'string' && url.includes('?')) {
    throw invalid(
      'url',
      `the url ended at &${unknown}, because it is not encoded`,
      `Encode the url as a whole, for example with curl -G --data-urlencode 'url=https://…': url=${encodeURIComponent(url).slice(0, 200)}…`,
    );
  }
  const others =
    known.length === 0
      ? ': this operation has no query parameters'
      : `; the query parameters are ${known.join(', ')}`;
  throw invalid(
    unknown,
    `${unknown} is not a known field${near === undefined ? others : `; did you mean ${near}?`}`,
  );
}

/** @throws AppError invalid_request for a body with content, for an operation without a body */
function refuseBody(given: unknown): void {
  if (given === undefined || given === null) return;
  const [name] = namesIn(given);
  if (typeof given === 'object' && !Array.isArray(given) && name === undefined) return;
  throw invalid(name ?? 'body', 'this operation takes no body', 'Send the request without a body.');
}

/** @throws AppError invalid_request with the first invalid field */
export async function parseInput(
  operation: Operation,
  { params, query, body, upload }: CallInput,
): Promise<ParsedInput> {
  refuseUnknownQuery(operation, query);
  if (operation.body === undefined && operation.upload === undefined) refuseBody(body);
  return {
    params: validate(operation.params, params ?? {}, 'path'),
    query: validate(operation.query, query ?? {}, 'query'),
    body: upload === undefined ? await validateBody(operation.body, body ?? {}) : undefined,
    upload,
  };
}
