/**
 * The catalogue of all errors. It defines the HTTP response, the MCP response, whether the queue tries again, and the
 * page docs/use/errors.md. Add a line here, then throw `new AppError(code, …)`.
 */
interface ErrorEntry {
  readonly status: number;
  /** The stable text of the response's `error` field. Clients may depend on it. */
  readonly text: string;
  /** Whether the same request can succeed later without changes. */
  readonly retryable: boolean;
  readonly when: string;
  readonly hint?: string;
}

/** The same request fails again. */
function permanent(status: number, text: string, when: string, hint?: string): ErrorEntry {
  return { status, text, retryable: false, when, ...(hint === undefined ? {} : { hint }) };
}

/** The same request can succeed later. */
function temporary(status: number, text: string, when: string, hint?: string): ErrorEntry {
  return { ...permanent(status, text, when, hint), retryable: true };
}

export const ERRORS = {
  invalid_request: permanent(
    400,
    'invalid request',
    'The body, query or path is not valid; `field` names the part.',
    'Correct the named field and send the request again.',
  ),
  unauthorized: permanent(
    401,
    'invalid or inactive api_key',
    'No key was sent, or it is unknown or revoked.',
    'Send the key in the X-API-Key header.',
  ),
  not_allowed: permanent(
    403,
    'not allowed',
    'The key, person or session may not do this; `detail` names the reason.',
  ),
  forbidden_host: permanent(
    403,
    'forbidden host',
    'The Host of a request to `/mcp` is not a name of the service, or its Origin is another site.',
    'Set GLEANER_PUBLIC_URL to the address that clients use, or add the origin to GLEANER_CORS_ORIGINS.',
  ),
  invalid_token: permanent(
    401,
    'invalid token',
    'The OAuth access token at `/mcp` is expired, has a wrong issuer, audience or signature, or is not a token.',
    'Get a new token from the authorization server that the resource metadata names.',
  ),
  insufficient_scope: permanent(
    403,
    'insufficient scope',
    'The OAuth access token at `/mcp` lacks a scope that the call needs.',
    'Ask the authorization server for a token with the scopes in WWW-Authenticate.',
  ),
  unlinked_subject: permanent(
    403,
    'unlinked subject',
    'The OAuth access token at `/mcp` is valid, but the operator has linked its subject to no account.',
    'Ask the operator to link it: gleaner oauth link <account> <subject>.',
  ),
  insufficient_credits: permanent(
    402,
    'insufficient credits',
    'The price exceeds the credits that are not reserved; `required` and `available` give both amounts.',
  ),
  not_found: permanent(
    404,
    'not found',
    'The account has no resource with this identifier.',
    'Check the identifier, and that the API key belongs to the account that owns it.',
  ),
  method_not_allowed: permanent(
    405,
    'method not allowed',
    'The path has operations, but none with this method; `Allow` names the methods that it has.',
  ),
  target_not_found: permanent(
    404,
    'target not found',
    'The profile, video, post or listing does not exist or is private. Not charged.',
  ),
  idempotency_conflict: permanent(
    409,
    'idempotency conflict',
    'The Idempotency-Key was used for another request in the last 24 hours.',
    'Use a new key for a new request.',
  ),
  already_finished: permanent(
    409,
    'already finished',
    'The resource has already ended and can no longer be changed.',
  ),
  name_taken: permanent(409, 'name taken', 'Another resource of the account has this name.'),
  in_use: permanent(409, 'in use', 'Another resource still uses it; `detail` names that resource.'),
  count_changed: permanent(
    409,
    'count changed',
    'Another number of rows matches than `count` says; nothing was deleted.',
    'Ask with `dry_run=true` again.',
  ),
  regression: permanent(
    409,
    'regression',
    'The change of a parser breaks one of its stored samples.',
    'Correct the schema, or send `force: true`.',
  ),
  cursor_expired: permanent(
    410,
    'cursor expired',
    'The cursor belongs to changes that are kept no more, or to a feed that was turned off, dropped or restored since.',
    'Begin anew: take `after=now`, read the export, and go on from that cursor.',
  ),
  html_too_large: permanent(413, 'html too large', 'The html part is larger than 16 MB.'),
  body_too_large: permanent(413, 'body too large', 'The request body is larger than its limit.'),
  unsupported_media_type: permanent(
    415,
    'unsupported media type',
    'The operation does not accept this Content-Type or Content-Encoding.',
  ),
  expectation_failed: permanent(
    417,
    'expectation failed',
    'The Expect header asks for something other than 100-continue.',
    'Send the request without the Expect header.',
  ),
  extraction_failed: permanent(
    422,
    'extraction failed',
    'The parser ran, but nothing on the page matched, a required field was absent, a value could not be converted to its type, or the page exceeded a limit of extraction. Not charged.',
    'POST /v1/parsers/preview with explain: true shows what each source matched.',
  ),
  batch_writes_to_database: permanent(
    422,
    'batch writes to a database',
    'The batch writes to a database and keeps no results.',
    'Read the rows from the database instead.',
  ),
  rate_limit_exceeded: temporary(
    429,
    'rate limit exceeded',
    'Too many requests in the window; `Retry-After` gives the seconds to wait.',
  ),
  concurrency_limit_exceeded: temporary(
    429,
    'concurrency limit exceeded',
    'The account already executes as many requests as its concurrency allows.',
    'Wait until one ends, or ask the operator for more concurrency.',
  ),
  plan_limit_exceeded: temporary(429, 'plan limit exceeded', 'The account has reached one of its limits.'),
  pending_limit: temporary(
    429,
    'pending limit',
    'The request would exceed the account’s limit on unfinished tasks; nothing was accepted.',
  ),
  fetch_failed: temporary(
    502,
    'fetch failed',
    'The target refused the connection, returned an error status after retries, failed in DNS or TLS, or has an address that may not be fetched. Not charged.',
  ),
  target_blocked: temporary(
    502,
    'target blocked',
    'The target showed a login wall or a bot check. Not charged.',
  ),
  site_changed: permanent(
    502,
    'site changed',
    'The layout of a prebuilt endpoint’s page was not recognised. Not charged.',
  ),
  temporarily_unavailable: temporary(
    503,
    'temporarily unavailable',
    'Postgres, the queue or all workers are unavailable, or a proxy tier is not configured.',
  ),
  fetch_timed_out: temporary(
    504,
    'fetch timed out',
    'The scrape exceeded its limit of 120 seconds. Not charged.',
  ),
  internal: temporary(
    500,
    'internal error',
    'The service failed. The operator finds the cause in the log by the X-Request-Id of the response.',
  ),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

export interface AppErrorOptions {
  /** What happened, with the values involved. Public: never contains a key or an internal address. */
  detail?: string;
  /** The field that failed validation, as a path: `schema.fields.price.css`. */
  field?: string;
  hint?: string;
  retryAfterSeconds?: number;
  /** Overrides the catalogue. For example, a fetch that got 404 will get it again. */
  retryable?: boolean;
  /** Additional members of the two special shapes (402 and pending limit). */
  members?: Readonly<Record<string, number>>;
  /** Never shown to a client. */
  cause?: unknown;
}

/** The body of every error response: the specification's Validation shape, with the members of the two special shapes. */
export interface ErrorBody {
  error: string;
  field?: string;
  detail?: string;
  hint?: string;
  required?: number;
  available?: number;
  pending?: number;
  limit?: number;
  accepted?: number;
}

/** Every error that a client may see. Its message and detail are public; its cause is not. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly retryable: boolean;
  readonly options: AppErrorOptions;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.detail ? `${ERRORS[code].text}: ${options.detail}` : ERRORS[code].text, {
      cause: options.cause,
    });
    this.name = 'AppError';
    this.code = code;
    this.status = ERRORS[code].status;
    this.retryable = options.retryable ?? ERRORS[code].retryable;
    this.options = options;
  }

  /** The response's body. */
  toBody(): ErrorBody {
    const catalogue: ErrorEntry = ERRORS[this.code];
    const { field, detail, members } = this.options;
    // The specification gives this shape these members alone.
    if (this.code === 'pending_limit' && members !== undefined) return { error: catalogue.text, ...members };
    // A detail says already what is not there.
    const isExplained = this.code === 'not_found' && detail !== undefined;
    const hint = this.options.hint ?? (isExplained ? undefined : catalogue.hint);
    return { error: catalogue.text, field, detail, hint, ...members };
  }
}

/** The stored form of an error of a task or request, from which another process can throw it again. */
export interface StoredError extends Omit<AppErrorOptions, 'members' | 'cause'> {
  code: ErrorCode;
  /** The index of the way by which a request was tried last. */
  way?: number;
  /** The answer of a preview that found nothing: it is shown, and not charged. */
  shown?: string;
}

export function toStoredError({ code, retryable, options }: AppError): StoredError {
  const { detail, field, hint, retryAfterSeconds } = options;
  return { code, retryable, detail, field, hint, retryAfterSeconds };
}

export function fromStoredError({ code, way: _w, shown: _s, ...options }: StoredError): AppError {
  return new AppError(code, options);
}
