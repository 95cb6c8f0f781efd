import type { ErrorText } from './generated/operations.ts';

/** Codes of the client itself, when the service gave no answer or its answer can't be used. */
export type ClientErrorCode = 'no answer' | 'timed out' | 'unexpected answer' | 'invalid webhook';

export type ErrorCode = ErrorText | ClientErrorCode;

export interface ErrorFacts {
  /** HTTP status; 0 when there was no answer. */
  status: number;
  /** The stable text of the answer's `error` member: docs/errors.md lists all. */
  code: ErrorCode | (string & {});
  /** The part of the request that is wrong. */
  field?: string | undefined;
  /** What happened. */
  detail?: string | undefined;
  /** What to do about it. */
  hint?: string | undefined;
  /** Finds the request in the service's log. */
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  /** Numbers of the special shapes: `required`, `available`, `pending`, `limit`, `accepted`. */
  numbers?: Readonly<Record<string, number>>;
  cause?: unknown;
}

/** Every failure of a call, but for an aborted one, which ends with its signal's reason. */
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

/** Whether something thrown is an error of this client, and of one of these codes if any are given. */
export function isGleanerError<C extends ErrorCode = never>(
  error: unknown,
  ...codes: readonly C[]
): error is GleanerError & { readonly code: [C] extends [never] ? string : C } {
  return error instanceof GleanerError && (codes.length === 0 || codes.some((code) => code === error.code));
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

/** The error that an answer says; one that is not of the service has its status text as code. */
export async function readError(response: Response): Promise<GleanerError> {
  const body = await response.text().catch(() => '');
  const members = parseObject(body);
  const code = text(members['error']);
  return new GleanerError({
    status: response.status,
    code: code ?? 'unexpected answer',
    field: text(members['field']),
    detail:
      code === undefined ? `HTTP ${response.status} ${body.slice(0, 200)}`.trim() : text(members['detail']),
    hint: text(members['hint']),
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: readRetryAfter(response.headers.get('retry-after')),
    numbers: Object.fromEntries(
      Object.entries(members).filter((pair): pair is [string, number] => typeof pair[1] === 'number'),
    ),
  });
}
