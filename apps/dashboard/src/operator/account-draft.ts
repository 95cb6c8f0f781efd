import type { Account, AccountChange } from '../api/operator.ts';

type Limit = Exclude<keyof AccountChange, 'name' | 'active' | 'grant'>;

/** The limits of an account: the name of each in a change, its label, and its value. */
export const LIMITS: readonly { key: Limit; label: string; of: (account: Account) => number }[] = [
  { key: 'concurrency', label: 'Pages and requests at once', of: (account) => account.concurrency },
  { key: 'requestsPerMinute', label: 'Requests a minute', of: (account) => account.requests_per_minute },
  { key: 'pendingLimit', label: 'Unfinished tasks', of: (account) => account.pending_limit },
  { key: 'cronLimit', label: 'Crons', of: (account) => account.cron_limit },
  {
    key: 'cronMinIntervalSeconds',
    label: 'Seconds between firings',
    of: (account) => account.cron_min_interval_seconds,
  },
];

/** An account as the form holds it; empty numbers change nothing. */
export function draftOfAccount(account: Account) {
  const limits = Object.fromEntries(LIMITS.map(({ key, of }) => [key, of(account)]));
  return {
    limits: limits as Record<Limit, number | ''>,
    grant: '' as number | '',
    active: account.active,
  };
}

type AccountDraft = ReturnType<typeof draftOfAccount>;

/** What the form changes: only that is sent, so that a change at the same time by somebody else stays. */
export function accountChange(account: Account, { limits, grant, active }: AccountDraft): AccountChange {
  const changed = LIMITS.filter(({ key, of }) => limits[key] !== '' && limits[key] !== of(account));
  return {
    ...Object.fromEntries(changed.map(({ key }) => [key, limits[key]])),
    ...(active === account.active ? {} : { active }),
    ...(grant === '' || grant === 0 ? {} : { grant }),
  };
}
