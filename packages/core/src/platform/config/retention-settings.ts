import { count, setting } from './setting.ts';

function days(variable: string, byDefault: number, what: string) {
  return setting(variable, count(1, 3650).default(byDefault), `Days that ${what}.`);
}

/** How long records are kept. Results have a term of their own, which the API promises. */
export const RETENTION_SETTINGS = {
  maxRunDays: days('GLEANER_MAX_RUN_DAYS', 30, 'a job, batch or workflow run may take; then it is cancelled'),
  keepRunsDays: days('GLEANER_KEEP_RUNS_DAYS', 90, 'jobs and batches are listed after their end'),
  keepDeliveriesDays: days('GLEANER_KEEP_DELIVERIES_DAYS', 30, 'webhook deliveries are listed'),
  keepLedgerDays: days(
    'GLEANER_KEEP_LEDGER_DAYS',
    90,
    'ledger entries are listed; older ones become sums of an account and day',
  ),
} as const;
