import type { Health } from '../api/operator.ts';
import { capitalised, plural, formatSpan } from '../format/format.ts';

/** Beyond these an operator should look. */
const OLD_RUN_SECONDS = 300;
const OLD_WEBHOOK_SECONDS = 60;
const OLD_TRANSACTION_SECONDS = 60;

/** A time in seconds, as text; a dash when there is none. */
export function ageText(seconds: number | null): string {
  return seconds === null ? '–' : formatSpan(Math.round(seconds));
}

/** Whether a sandbox works is known from the first page in a browser on; before that nothing is wrong. */
function isUnknown(name: string, state: string): boolean {
  return name === 'browser_sandbox' && state.startsWith('not known');
}

/** The service's problems, one sentence each. */
export function concernsOf(health: Health): string[] {
  const { readiness, runs, webhooks, database, workers, queues } = health;
  const concerns = Object.entries(readiness.checks)
    .filter(([name, state]) => state !== 'ok' && !name.startsWith('worker_wrk_') && !isUnknown(name, state))
    .map(([name, state]) => `${capitalised(name.replaceAll('_', ' '))}: ${state}.`);
  // Schedulers are in the list too; they serve no engine.
  if (workers.every(({ engines }) => engines.length === 0))
    concerns.push('No worker is alive, so nothing runs.');
  if (workers.every(({ engines }) => engines.length > 0))
    concerns.push('No scheduler is alive, so crons don’t fire and nothing is cleared up.');
  for (const { id, refuses } of workers)
    if (refuses !== null) concerns.push(`The worker ${id} takes no work: ${refuses}.`);
  if ((runs.oldest_pending_seconds ?? 0) > OLD_RUN_SECONDS)
    concerns.push(`A run has waited for ${ageText(runs.oldest_pending_seconds)} and has not started.`);
  if ((webhooks.oldest_due_seconds ?? 0) > OLD_WEBHOOK_SECONDS)
    concerns.push(`A webhook is overdue by ${ageText(webhooks.oldest_due_seconds)}: is a worker running?`);
  if ((database.oldest_transaction_seconds ?? 0) > OLD_TRANSACTION_SECONDS)
    concerns.push(
      `A transaction has been open for ${ageText(database.oldest_transaction_seconds)}. Old rows can’t be removed until it ends.`,
    );
  for (const { name, counts } of queues)
    if ((counts['failed'] ?? 0) > 0)
      concerns.push(`The queue ${name} has ${plural(counts['failed'] ?? 0, 'failed job')}.`);
  return concerns;
}

/** How many pages a worker fetches at once: `40 plain, 4 in browsers`. */
export function capacityText({ http, browser }: Health['workers'][number]['capacity']): string {
  return [http === null ? '' : `${http} plain`, browser === null ? '' : `${browser} in browsers`]
    .filter((text) => text !== '')
    .join(', ');
}
