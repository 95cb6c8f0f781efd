import { readSamples } from '../../platform/metrics/sample-system.ts';
import type { OutputOf, Perform } from '../../platform/context.ts';

type SystemUsage = OutputOf<'getSystemUsage'>;
type AccountUsage = SystemUsage['accounts'][number];

const MOST_ACCOUNTS = 20;

interface HourRow extends AccountUsage {
  hour: string;
}

/** What all accounts read in the last 24 hours. Each account's hours are found by its own key: there is no index by time. */
export const getSystemUsage: Perform<'getSystemUsage'> = async ({ services }) => {
  const rows = await services.db.sql<HourRow[]>`
    SELECT a.id, a.name, h.hour, sum(h.succeeded)::int AS succeeded, sum(h.failed)::int AS failed, sum(h.credits)::int AS credits
    FROM (
      SELECT u.* FROM gleaner.accounts o CROSS JOIN LATERAL (
        SELECT account_id, hour, succeeded, failed, credits FROM gleaner.usage_hours
        WHERE account_id = o.id AND hour > now() - interval '24 hours'
      ) u
      UNION ALL
      SELECT account_id, hour, succeeded, failed, credits FROM gleaner.usage_deltas
      WHERE hour > now() - interval '24 hours'
    ) h JOIN gleaner.accounts a ON a.id = h.account_id GROUP BY a.id, h.hour`;
  const hours = new Map<string, SystemUsage['hours'][number]>();
  const accounts = new Map<string, AccountUsage>();
  for (const { id, name, hour, succeeded, failed, credits } of rows) {
    const from = new Date(hour).toISOString();
    const ofHour = hours.get(from) ?? { from, succeeded: 0, failed: 0 };
    hours.set(from, { from, succeeded: ofHour.succeeded + succeeded, failed: ofHour.failed + failed });
    const ofAccount = accounts.get(id) ?? { id, name, succeeded: 0, failed: 0, credits: 0 };
    accounts.set(id, {
      ...ofAccount,
      succeeded: ofAccount.succeeded + succeeded,
      failed: ofAccount.failed + failed,
      credits: ofAccount.credits + credits,
    });
  }
  const pagesOf = (one: AccountUsage): number => one.succeeded + one.failed;
  return {
    hours: [...hours.values()].sort((one, other) => one.from.localeCompare(other.from)),
    accounts: [...accounts.values()]
      .sort((one, other) => pagesOf(other) - pagesOf(one))
      .slice(0, MOST_ACCOUNTS),
    samples: await readSamples(services.db),
  };
};
