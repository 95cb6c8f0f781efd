import type { ErrorText } from './generated/operations.ts';

/** Codes of the client itself, for missing or unusable responses. */
export type ClientErrorCode = 'no answer' | 'timed out' | 'unexpected answer' | 'invalid webhook';

export type ErrorCode = ErrorText | ClientErrorCode;

export interface ErrorFacts {
  /** HTTP status; 0 without a response. */
  status: number;
  /** The stable text of the response's `error` member; docs/use/errors.md lists all. */
  code: ErrorCode | (string & {});
  /** The invalid part of the request. */
  field?: string | undefined;
  /** What happened. */
  detail?: string | undefined;
  /** How to fix it. */
  hint?: string | undefined;
  /** Identifies the request in the service's log. */
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  /** Numbers of the special shapes: `required`, `available`, `pending`, `limit`, `accepted`. */
  numbers?: Readonly<Record<string, number>>;
  cause?: unknown;
}

/** A failed call. An aborted call throws its signal's reason instead. */
export class GleanerError extends Error {
  readonly status: number;
  readonly code: ErrorCode | (string & {});
  readonly field: string | undefined;
  readonly detail: string | undefined;
  readonly hint: string | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly numbers: Readonly<Record<string, number>>;

  constructor(facts: ErrorFacts) {
    const where = facts.field === undefined ? '' : `${facts.field}: `;
    super(facts.detail === undefined ? `${where}${facts.code}` : `${facts.code}: ${where}${facts.detail}`, {
      cause: facts.cause,
    });
    this.name = 'GleanerError';
    this.status = facts.status;
    this.code = facts.code;
    this.field = facts.field;
    this.detail = facts.detail;
    this.hint = facts.hint;
    this.requestId = facts.requestId;
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.numbers = facts.numbers ?? {};
  }
}

/** Whether a thrown value is an error of this client, and has one of the codes if any are given. */
export function isGleanerError<C extends ErrorCode = never>(
  error: unknown,
  ...codes: readonly C[]
): error is GleanerError & { readonly code: [C] extends [never] ? string : C } {
  return error instanceof GleanerError && (codes.length === 0 || codes.some((code) => code === error.code));
}

/** The beginning of a text on one line. */
export function shorten(body: string, length: number): string {
  return body.trim().replaceAll(/\s+/g, ' ').slice(0, length);
}

/** The error for a response that the service would not give. */
export function unexpected({ status }: Response, detail: string, cause?: unknown): GleanerError {
  return new GleanerError({ status, code: 'unexpected answer', detail, cause });
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** `Retry-After`: seconds, or a date. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000);
}

function parseObject(body: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}

/** What a response says that is not of the service. A browser shows neither status nor address of a redirect. */
function describeStranger({ status, headers, type }: Response, body: string): string {
  const location = headers.get('location');
  if (type === 'opaqueredirect' || (status >= 300 && status < 400 && location !== null))
    return `it redirects to ${location ?? 'another address'}, and a key goes only to the address that was given`;
  return `HTTP ${status} ${shorten(body, 200)}`.trim();
}

/** The error of a response. A response that is not from the service gets its status text as code. */
export async function readError(response: Response): Promise<GleanerError> {
  const body = await response.text().catch(() => '');
  const members = parseObject(body);
  const code = text(members['error']);
  return new GleanerError({
    status: response.status,
    code: code ?? 'unexpected answer',
    field: text(members['field']),
    detail: code === undefined ? describeStranger(response, body) : text(members['detail']),
    hint: text(members['hint']),
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: readRetryAfter(response.headers.get('retry-after')),
    numbers: Object.fromEntries(
      Object.entries(members).filter((pair): pair is [string, number] => typeof pair[1] === 'number'),
    ),
  });
}
