import type { Operation, UploadPart } from '@gleaner/contracts';
import type { ParsedInput } from './pair.ts';
import { validate } from './validate.ts';

/** What a client sent, not validated yet. Parts that the operation does not have are ignored. */
export interface CallInput {
  params?: unknown;
  query?: unknown;
  /** A parsed JSON value; null and absent count as `{}`. */
  body?: unknown;
  /** The parts of a form, in place of `body`; the door checks that the operation takes one. */
  upload?: AsyncIterable<UploadPart> | undefined;
  /** Has an effect on operations that create. */
  idempotencyKey?: string | undefined;
  /** Id of the last event that a client of an event stream has seen. */
  lastEventId?: string | undefined;
}

/** @throws AppError invalid_request with the first wrong field */
export function parseInput(operation: Operation, { params, query, body, upload }: CallInput): ParsedInput {
  return {
    params: validate(operation.params, params ?? {}, 'path'),
    query: validate(operation.query, query ?? {}, 'query'),
    body: upload === undefined ? validate(operation.body, body ?? {}, 'body') : undefined,
    upload,
  };
}
