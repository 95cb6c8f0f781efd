import { AppError } from '@gleaner/contracts';
import { AccountBusyError } from '../../platform/groups/create-account-groups.ts';
import type { NewRequest, Submission } from './submit-requests.ts';
import type { Interactive } from './open-interactive.ts';

/** The parser changed after it was read. */
export class StaleParserError extends Error {
  constructor() {
    super('the parser changed after it was read');
    this.name = 'StaleParserError';
  }
}

type Refused = Exclude<Submission['outcome'], 'queued' | 'waiting'>;

function toRefusal(outcome: Refused, { available, slots }: Submission, price: number): Error {
  switch (outcome) {
    case 'stale':
      return new StaleParserError();
    case 'credits':
      return new AppError('insufficient_credits', { members: { required: price, available } });
    case 'concurrency':
      return new AppError('concurrency_limit_exceeded', {
        detail: `${slots} requests are executing or wait`,
        retryAfterSeconds: 1,
      });
  }
}

/** @throws AppError for refused work, StaleParserError */
export async function submitOrRefuse(
  { submitter }: Interactive,
  request: NewRequest,
): Promise<Submission & { outcome: 'queued' | 'waiting' }> {
  const submission = await submitter.call(request).catch((error: unknown) => {
    if (!(error instanceof AccountBusyError)) throw error;
    throw new AppError('temporarily_unavailable', {
      detail: 'other work of the account takes too long',
      retryAfterSeconds: 1,
      cause: error,
    });
  });
  const { outcome } = submission;
  if (outcome === 'queued' || outcome === 'waiting') return { ...submission, outcome };
  throw toRefusal(outcome, submission, request.price);
}
