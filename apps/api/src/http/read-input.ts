import { AppError, type Operation } from '@gleaner/contracts';
import type { CallInput } from '@gleaner/core';
import type { FastifyRequest } from 'fastify';
import { uploadCounter } from './count-body.ts';
import { hasBody } from './raw-connections.ts';
import { readBoundary, readParts } from './read-parts.ts';

/**
 * Rejects a compressed body before it is read, because it would be reported as invalid JSON or an invalid form.
 * @throws AppError unsupported_media_type
 */
export function refuseCompressed(operation: Operation, { headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() === 'identity' || !(operation.body || operation.upload)) return;
  throw new AppError('unsupported_media_type', {
    field: 'Content-Encoding',
    detail: `compressed bodies are not supported, and the Content-Encoding is ${JSON.stringify(encoding)}`,
    hint: 'Send the body uncompressed and without Content-Encoding.',
  });
}

/**
 * The input of a request for its operation, before validation. The parts of a form are read later.
 * @throws AppError unsupported_media_type, invalid_request when the Content-Type does not suit the operation
 */
export function readInput(operation: Operation, request: FastifyRequest): CallInput {
  const { headers, params, query } = request;
  return {
    params,
    query,
    ...readBody(operation, request),
    idempotencyKey: readHeader(headers['idempotency-key']),
    lastEventId: readHeader(headers['last-event-id']),
  };
}

function readBody({ body, upload }: Operation, request: FastifyRequest): Pick<CallInput, 'body' | 'upload'> {
  if (request.method === 'GET' && hasBody(request.headers)) {
    throw new AppError('invalid_request', { field: 'body', detail: 'a GET takes no body' });
  }
  const contentType = request.headers['content-type'];
  const boundary = readBoundary(contentType);
  if (upload && boundary !== null) {
    const count = uploadCounter(request.reservedBytes, upload.bodyLimitBytes);
    return { upload: readParts(request.raw, boundary, upload, count) };
  }
  if (upload && /^multipart\/form-data/i.test(contentType ?? '')) {
    throw new AppError('invalid_request', { field: 'Content-Type', detail: 'the boundary is missing' });
  }
  if (upload && !body && contentType !== undefined) {
    throw new AppError('unsupported_media_type', {
      field: 'Content-Type',
      detail: `the body must be multipart/form-data, not ${JSON.stringify(contentType)}`,
    });
  }
  if (boundary !== null) {
    throw new AppError('unsupported_media_type', {
      field: 'Content-Type',
      detail: 'the body must be application/json, not a form',
    });
  }
  return { body: request.body };
}

/** Node joins repeated headers, so the value is never a list. */
function readHeader(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
