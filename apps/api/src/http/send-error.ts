import { AppError } from '@gleaner/contracts';
import { limitStateOf, redactKeys } from '@gleaner/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { setRateLimitHeaders } from './rate-limit-headers.ts';

/** Fastify's and Node's own errors that are the client's doing. */
const KNOWN: Readonly<Record<string, (bodyType: string) => AppError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new AppError('body_too_large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: (bodyType) =>
    new AppError('unsupported_media_type', { detail: `the body must be ${bodyType}` }),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => invalidBody('its size is not its Content-Length'),
  FST_ERR_CTP_INVALID_JSON_BODY: () => invalidBody('it is not valid JSON'),
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: () =>
    new AppError('unsupported_media_type', { detail: 'the Content-Type is missing' }),
  FST_ERR_MAX_PARAM_LENGTH: () =>
    new AppError('invalid_request', { field: 'path', detail: 'a part of the path is too long' }),
  FST_ERR_BAD_URL: () => new AppError('invalid_request', { field: 'path', detail: 'the path is not valid' }),
};

function invalidBody(detail: string): AppError {
  return new AppError('invalid_request', { field: 'body', detail });
}

/** Postgres or the queue is away: https://www.postgresql.org/docs/18/errcodes-appendix.html, classes 08, 53 and 57P. */
function isUnavailable(code: string): boolean {
  return /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|CONNECTION_\w+|CONNECT_TIMEOUT|08\w{3}|53\w{3}|57P\w{2})$/.test(
    code,
  );
}

/** The client went away while it sent its body; Postgres too says ECONNRESET, but gives no status. */
function isAbortedBody(error: unknown): boolean {
  return (
    error instanceof Error && error.message === 'aborted' && 'statusCode' in error && error.statusCode === 400
  );
}

function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  for (let inner: unknown = error; inner instanceof Error; inner = inner.cause) {
    if ('code' in inner && typeof inner.code === 'string') codes.push(inner.code);
  }
  return codes;
}

/**
 * Any thrown thing as an error of the catalogue; unknown ones become `internal`.
 * @param bodyType what the operation takes, in words
 */
export function toAppError(error: unknown, bodyType = 'application/json'): AppError {
  if (error instanceof AppError) return error;
  const codes = codesOf(error);
  if (isAbortedBody(error)) return invalidBody('it was cut off');
  for (const code of codes) {
    const known = KNOWN[code];
    if (known) return known(bodyType);
  }
  if (codes.some(isUnavailable)) {
    return new AppError('temporarily_unavailable', { retryAfterSeconds: 5, cause: error });
  }
  if (error instanceof SyntaxError && 'statusCode' in error) return invalidBody('it is not valid JSON');
  return new AppError('internal', { cause: error });
}

/** Whether the call ended because its client went away: nobody's fault, and nobody reads the answer. */
function isLeft(request: FastifyRequest, error: unknown): boolean {
  const signal = request.call?.signal;
  if (signal?.aborted !== true) return false;
  return error === signal.reason || (error instanceof Error && error.cause === signal.reason);
}

/** Writes the error answer; logs what is our own fault, once. */
export function sendError(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const hasLeft = isLeft(request, error);
  const failure = hasLeft
    ? new AppError('temporarily_unavailable', { detail: 'the client went away' })
    : toAppError(error, request.routeOptions.config.bodyType);
  if (!hasLeft && (failure.code === 'internal' || failure.status === 503)) {
    request.log[failure.code === 'internal' ? 'error' : 'warn'](
      { err: failure.options.cause ?? failure, requestId: request.id },
      'request failed',
    );
  }
  const limit = limitStateOf(failure);
  if (limit) setRateLimitHeaders(reply, limit);
  const retryAfter = failure.options.retryAfterSeconds ?? (failure.status === 503 ? 5 : undefined);
  if (retryAfter !== undefined) reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfter))));
  return reply
    .code(failure.status)
    .type('application/json; charset=utf-8')
    .send(redactKeys(JSON.stringify(failure.toBody())));
}
