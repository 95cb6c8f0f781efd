import { isGleanerError, type GleanerError } from '@gleaner/client';
import { ClusterError } from '@gleaner/embedded-postgres/cluster-error';
import { codeOf, EXIT, isOfStranger } from './exit-codes.ts';
import { Fault } from './fault.ts';
import { clean } from './terminal/clean.ts';

/** The text for standard error, and the exit code. */
export interface Described {
  text: string;
  code: number;
  /** The error for programs: the service's own, or what happened and how to correct it. */
  body?: object;
}

interface Parts {
  error: string;
  field?: string | undefined;
  detail?: string | undefined;
  hint?: string | undefined;
  numbers?: object;
}

/** What happened on a line, and what to do about it on the next. */
function join({ error, field, detail, hint, numbers = {} }: Parts): string {
  // The detail of a field that breaks a schema begins with the field's name.
  const isNamed = field !== undefined && detail?.startsWith(`${field}: `) === true;
  const pairs = Object.entries(numbers).map(([name, value]) => `${name} ${String(value)}`);
  const parts = [error, isNamed ? undefined : field, detail, pairs.join(', ') || undefined];
  const what = parts.filter((part) => part !== undefined).join(': ');
  return hint === undefined ? what : `${what}\n  → ${hint}`;
}

/** What to do about a failure of which the service says nothing, or did not answer. */
function hintFor(error: GleanerError): string | undefined {
  const { status } = error;
  if (status === 401) return 'Sign in with `gleaner login`, or set GLEANER_API_KEY.';
  if (isOfStranger(error))
    return 'What answers is not a Gleaner service. Check its address: `gleaner login`, GLEANER_URL or --service.';
  if (status === 0 || isGleanerError(error, 'unexpected answer'))
    return 'Check that the service runs and that its address is right: `gleaner login` or GLEANER_URL.';
  return undefined;
}

async function ofService(error: GleanerError): Promise<Described> {
  const { code, field, detail, hint = hintFor(error), numbers, requestId, status } = error;
  const said = join({ error: code, field, detail, hint, numbers });
  // What the service itself says of a request is in the words of its API.
  const text =
    status === 0 || isOfStranger(error) || (field ?? error.hint ?? detail) === undefined
      ? said
      : (await import('./service/operations/shell-words.ts')).toShellWords(said);
  // A fault of the service is found in its log by this id.
  const request = status >= 500 && requestId !== undefined ? `\n  request ${requestId}` : '';
  const body = { error: code, field, detail, hint, ...numbers, status, request_id: requestId };
  return { text: clean(`${text}${request}`), code: codeOf(error), body };
}

/** Describes a user's mistake in plain lines. Any other error is a bug and keeps its stack. */
export async function describeError(error: unknown): Promise<Described> {
  if (error instanceof Fault) {
    const { message: text, what, hint } = error;
    return { text, code: EXIT.failed, body: { error: what, hint } };
  }
  if (error instanceof ClusterError)
    return { text: join({ error: error.message, hint: error.hint }), code: EXIT.failed };
  if (isGleanerError(error)) return ofService(error);
  // Loaded only now: the catalogue brings all schemas, which most commands never need.
  const { AppError } = await import('@gleaner/contracts');
  if (error instanceof AppError) {
    const { error: text, field, detail, hint } = error.toBody();
    const numbers = error.options.members ?? {};
    return { text: join({ error: text, field, detail, hint, numbers }), code: EXIT.failed };
  }
  return {
    text: error instanceof Error ? (error.stack ?? error.message) : String(error),
    code: EXIT.failed,
  };
}
