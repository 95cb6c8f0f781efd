import { AppError, withTimeout } from '@gleaner/contracts';
import type { PreparedRun } from '../../runs/submission/prepared-run.ts';
import type { SubmitServices } from '../../runs/submission/run-services.ts';
import { readWork, type CronRow } from '../cron-record.ts';
import { cronRun } from '../cron-submission.ts';

/** The slowest part is the sink's server, which the account chose. */
const PREPARE_WITHIN_MS = 20_000;

/**
 * Prepares the run of a cron: reads its inputs and tests its sink, without any lock. A refusal is a result, not an error;
 * `temporarily_unavailable` at the time limit, after which a late result is discarded.
 */
export async function prepareCron(services: SubmitServices, row: CronRow): Promise<PreparedRun | AppError> {
  try {
    const preparing = cronRun(services, row.accountId, {
      work: readWork(services, row),
      no: String(row.no),
    }).prepare();
    return await withTimeout(preparing, PREPARE_WITHIN_MS, () => {
      preparing.then(
        (run) => run.discard(),
        () => undefined,
      );
      return new AppError('temporarily_unavailable', {
        field: 'sink',
        detail: `the sink did not respond within ${PREPARE_WITHIN_MS / 1_000} s`,
      });
    });
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
