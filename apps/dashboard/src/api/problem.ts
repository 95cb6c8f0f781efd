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
  error: 'no answer',
  detail: 'Gleaner does not answer.',
  hint: 'Check that it runs and that this machine can reach it, then try again.',
};

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
  return problem(status, { error: code, field, detail, hint, ...numbers }, requestId);
}
