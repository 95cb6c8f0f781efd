import { AppError } from '@gleaner/contracts';
import { codesOf, limitStateOf, redactKeys, toCallFailure, type RateLimitState } from '@gleaner/core';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Limit of a JSON body, unless the operation sets its own. */
export const DEFAULT_BODY_LIMIT_BYTES = 1024 * 1024;

/** Fastify's and Node's own errors that the client caused. */
const KNOWN: Readonly<Record<string, (route: RouteTexts) => AppError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ({ bodyLimitBytes }) =>
    new AppError('body_too_large', {
      field: 'body',
      detail: `the body is larger than ${sizeText(bodyLimitBytes)}`,
    }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ({ bodyType, contentType }) =>
    new AppError('unsupported_media_type', {
      field: 'Content-Type',
      detail: `the body must be ${bodyType}${contentType === undefined ? '' : `, not ${JSON.stringify(contentType)}`}`,
    }),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => invalidBody('its size is not its Content-Length'),
  FST_ERR_CTP_INVALID_JSON_BODY: () => invalidBody('the text is not valid JSON'),
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: () =>
    new AppError('unsupported_media_type', { detail: 'the Content-Type is missing' }),
  FST_ERR_MAX_PARAM_LENGTH: () =>
    new AppError('invalid_request', { field: 'path', detail: 'a part of the path is too long' }),
  FST_ERR_BAD_URL: () => new AppError('invalid_request', { field: 'path', detail: 'the path is not valid' }),
};

/** What the texts name of the route and the request. */
interface RouteTexts {
  /** The media types that the operation takes, in words. */
  bodyType: string;
  bodyLimitBytes: number;
  /** The Content-Type of the request. */
  contentType?: string | undefined;
}

function sizeText(bytes: number): string {
  const megabytes = bytes / 1024 ** 2;
  return megabytes >= 1 ? `${Math.round(megabytes)} MB` : `${Math.round(bytes / 1024)} KB`;
}

function invalidBody(detail: string): AppError {
  return new AppError('invalid_request', { field: 'body', detail });
}

/** The client disconnected while it sent its body. Postgres also reports ECONNRESET, but without a status. */
function isAbortedBody(error: unknown): boolean {
  return (
    error instanceof Error && error.message === 'aborted' && 'statusCode' in error && error.statusCode === 400
  );
}

/** Converts an error of the HTTP layers to an error of the catalogue. Other errors stay unchanged. */
export function fromTransport(
  error: unknown,
  route: RouteTexts = { bodyType: 'application/json', bodyLimitBytes: DEFAULT_BODY_LIMIT_BYTES },
): unknown {
  if (error instanceof AppError) return error;
  if (isAbortedBody(error)) return invalidBody('it was truncated');
  const known = codesOf(error).flatMap((code) => KNOWN[code] ?? [])[0];
  if (known) return known(route);
  return error instanceof SyntaxError && 'statusCode' in error
    ? invalidBody('the text is not valid JSON')
    : error;
}

/** https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/ (draft 10) */
export function setRateLimitHeaders(reply: FastifyReply, state: RateLimitState): void {
  reply.header('ratelimit-policy', `"default";q=${state.limit};w=60`);
  reply.header('ratelimit', `"default";r=${state.remaining};t=${state.resetSeconds}`);
}

/**
 * The error of the catalogue that a request ends with. Faults of the service are logged, once.
 * @param signal aborted when the client has gone, which is no fault
 */
export function failureOf(
  request: FastifyRequest,
  error: unknown,
  signal: AbortSignal | undefined = request.call?.signal,
): AppError {
  const { bodyLimit, config } = request.routeOptions;
  const route: RouteTexts = {
    bodyType: config.bodyType ?? 'application/json',
    bodyLimitBytes: bodyLimit ?? DEFAULT_BODY_LIMIT_BYTES,
    contentType: request.headers['content-type'],
  };
  return toCallFailure(fromTransport(error, route), {
    log: request.log,
    requestId: request.id,
    signal,
  });
}

/** Writes an error response with this status and body, and the headers that every failure has. */
export function sendFailure(
  request: FastifyRequest,
  reply: FastifyReply,
  failure: AppError,
  { status, body }: { status: number; body: object },
): FastifyReply {
  const limit = limitStateOf(failure);
  if (limit) setRateLimitHeaders(reply, limit);
  const retryAfter = failure.options.retryAfterSeconds ?? (failure.status === 503 ? 5 : undefined);
  if (retryAfter !== undefined) reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfter))));
  return reply
    .header('x-request-id', request.id)
    .code(status)
    .type('application/json; charset=utf-8')
    .send(redactKeys(JSON.stringify(body)));
}

/** Writes the error response. */
export function sendError(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const failure = failureOf(request, error);
  return sendFailure(request, reply, failure, { status: failure.status, body: failure.toBody() });
}
