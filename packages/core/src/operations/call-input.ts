import type { Operation, UploadPart } from '@gleaner/contracts';
import type { ParsedInput } from './pair.ts';
import { validate } from './validate.ts';

/** A client's input before validation. Parts that the operation does not have are ignored. */
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

/** @throws AppError invalid_request with the first invalid field */
export function parseInput(operation: Operation, { params, query, body, upload }: CallInput): ParsedInput {
  return {
    params: validate(operation.params, params ?? {}, 'path'),
    query: validate(operation.query, query ?? {}, 'query'),
    body: upload === undefined ? validate(operation.body, body ?? {}, 'body') : undefined,
    upload,
  };
}
