import { expect, it } from 'vitest';
import { accountChange, draftOfAccount } from './account-draft.ts';

const ACCOUNT = {
  id: 'acc_1',
  name: 'acme',
  active: true,
  credit_balance: 5,
  credits_reserved: 0,
  credits_used: 0,
  stored_bytes: 0,
  concurrency: 10,
  requests_per_minute: 600,
  pending_limit: 1000,
  cron_limit: 10,
  cron_min_interval_seconds: 60,
  created_at: '2026-01-01T00:00:00.000Z',
};

it('sends only what the form changes', () => {
  const draft = draftOfAccount(ACCOUNT);
  expect(accountChange(ACCOUNT, draft)).toEqual({});
  expect(accountChange(ACCOUNT, { ...draft, limits: { ...draft.limits, concurrency: 7 } })).toEqual({
    concurrency: 7,
  });
  expect(accountChange(ACCOUNT, { ...draft, grant: -3, active: false })).toEqual({
    grant: -3,
    active: false,
  });
  expect(accountChange(ACCOUNT, { ...draft, grant: 0, limits: { ...draft.limits, cronLimit: '' } })).toEqual(
    {},
  );
});
