import type { ErrorBody } from '@gleaner/contracts';

/** An error answer of the API, or a call without an answer (status 0). */
export class Problem extends Error {
  readonly status: number;
  readonly body: ErrorBody;
  readonly requestId: string | undefined;

  constructor(status: number, body: ErrorBody, requestId?: string) {
    super(body.detail ?? body.error);
    this.name = 'Problem';
    this.status = status;
    this.body = body;
    this.requestId = requestId;
  }
}

const NO_ANSWER: ErrorBody = {
  error: 'no answer',
  detail: 'Gleaner does not answer.',
  hint: 'Check that it runs and that this machine reaches it, then try again.',
};

/** Makes a Problem of an error answer. */
export async function readProblem(response: Response): Promise<Problem> {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const text = await response.text();
  try {
    return new Problem(response.status, JSON.parse(text) as ErrorBody, requestId);
  } catch {
    const detail = `the answer was ${response.status} ${response.statusText}`;
    return new Problem(response.status, { error: 'unexpected answer', detail }, requestId);
  }
}

/** The text that the dashboard shows for a failed call. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof TypeError) return new Problem(0, NO_ANSWER);
  const detail = error instanceof Error ? error.message : String(error);
  return new Problem(0, { error: 'fault of the dashboard', detail });
}
