import { isGleanerError } from '@gleaner/client';
import type { ErrorBody } from '@gleaner/contracts';

/** What the dashboard shows of a failed call. */
export interface Problem {
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  readonly body: ErrorBody;
  readonly message: string;
  readonly requestId: string | undefined;
}

const NO_ANSWER: ErrorBody = {
  error: 'Gleaner does not answer',
  hint: 'Check that it runs and that this machine can reach it, then try again.',
};

/** The service's own words on a key are for programs: they speak of a header. */
const NOT_FOUND_HINT = 'It may have been deleted, or it belongs to another account.';
const FAULT = 'Gleaner made a mistake';
const FAULT_HINT = 'Try again. If it stays, tell the operator, who finds the request below in the log.';
/** Said to programs of every refused field: a form says at its field what is wrong. */
const RESEND_HINT = 'Correct the named field and send the request again.';
const KEY_HINT = 'The key may be mistyped or revoked, or it is the key of another installation.';

function problem(status: number, body: ErrorBody, requestId?: string): Problem {
  return { status, body, message: body.detail ?? body.error, requestId };
}

/** Something that a person asked for and that can't be: no fault of the dashboard. The message is a whole sentence. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** The problem behind any thrown value. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Refusal) return problem(0, { error: error.message });
  if (!isGleanerError(error)) {
    const detail = error instanceof Error ? error.message : String(error);
    return problem(0, { error: 'error in the dashboard', detail });
  }
  const { status, code, field, detail, hint, numbers, requestId } = error;
  if (code === 'no answer') return problem(0, NO_ANSWER);
  // A refusal with a detail is of a link or of the operator's password, and its hint is for people.
  if (code === 'invalid or inactive api_key')
    return problem(
      status,
      { error: 'not signed in', detail, hint: detail === undefined ? KEY_HINT : hint },
      requestId,
    );
  if (code === 'not found') return problem(status, { error: code, detail, hint: NOT_FOUND_HINT }, requestId);
  if (status === 500) return problem(status, { error: FAULT, detail, hint: FAULT_HINT }, requestId);
  const own = hint === RESEND_HINT ? undefined : hint;
  return problem(status, { error: code, field, detail, hint: own, ...numbers }, requestId);
}

/** A field that the service refused, and why. */
interface Fault {
  field: string;
  reason: string;
}

/** `limits.pages: is too high; start[0]: must start with http` */
function faultsOf(error: unknown): Fault[] {
  if (error === null || error === undefined) return [];
  const { body, message } = toProblem(error);
  const { field } = body;
  if (field === undefined) return [];
  return message.split(/; (?=[a-z_][\w.[\]]*: )/).map((part) => {
    const [, named = field, reason = part] = /^([a-z_][\w.[\]]*): (.*)$/s.exec(part) ?? [];
    return { field: named.replace(/^body\./, ''), reason };
  });
}

/** Whether a path is that of a field or of something in it. */
export function isWithin(at: string, field: string): boolean {
  return at === field || at.startsWith(`${field}.`) || at.startsWith(`${field}[`);
}

/**
 * What the service refused in a field, for the input that holds it; undefined when it refused something else.
 * @param field as the service names it: `crawl.include`, which has `crawl.include[2]` too
 */
export function faultAt(error: unknown, field: string): string | undefined {
  const fault = faultsOf(error).find((one) => isWithin(one.field, field));
  if (fault === undefined) return undefined;
  const item = /^\[(\d+)\]/.exec(fault.field.slice(field.length))?.[1];
  return item === undefined ? fault.reason : `line ${Number(item) + 1}: ${fault.reason}`;
}

/** Whether all that the service refused is in these fields, which say so themselves. */
export function isShownAt(error: unknown, fields: readonly string[]): boolean {
  const faults = faultsOf(error);
  return faults.length > 0 && faults.every((fault) => fields.some((field) => isWithin(fault.field, field)));
}
