import { Button, Modal, NumberInput, Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeAccount, type Account, type AccountChange } from '../api/operator.ts';
import { formatNumber } from '../format/number.ts';
import { Failure } from '../parts/states.tsx';

type Limit = Exclude<keyof AccountChange, 'name' | 'active' | 'grant'>;

const LIMITS: readonly { key: Limit; label: string; of: (account: Account) => number }[] = [
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

/** Changes the limits of an account, gives it credits, closes it. */
export function AccountDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const client = useQueryClient();
  const [limits, setLimits] = useState(
    () => Object.fromEntries(LIMITS.map(({ key, of }) => [key, of(account)])) as Record<Limit, number>,
  );
  const [grant, setGrant] = useState<number | undefined>();
  const [isActive, setActive] = useState(account.active);
  const save = useMutation({
    mutationFn: () =>
      changeAccount(account.id, {
        ...Object.fromEntries(
          LIMITS.filter(({ key, of }) => limits[key] !== of(account)).map(({ key }) => [key, limits[key]]),
        ),
        ...(isActive === account.active ? {} : { active: isActive }),
        ...(grant === undefined || grant === 0 ? {} : { grant }),
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['operator', 'accounts'] });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={account.name} size="lg">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <dl className="facts">
          <dt>Id</dt>
          <dd>
            <code>{account.id}</code>
          </dd>
          <dt>Credits</dt>
          <dd>
            {formatNumber(account.credit_balance)}, {formatNumber(account.credits_reserved)} of them reserved;{' '}
            {formatNumber(account.credits_used)} used so far
          </dd>
        </dl>
        <NumberInput
          label="Add credits"
          description="A negative number takes free credits away."
          placeholder="0"
          allowDecimal={false}
          thousandSeparator=","
          hideControls
          w={220}
          value={grant ?? ''}
          onChange={(value) => setGrant(typeof value === 'number' ? value : undefined)}
        />
        <div className="row wrap" style={{ alignItems: 'flex-end' }}>
          {LIMITS.map(({ key, label }) => (
            <NumberInput
              key={key}
              label={label}
              min={0}
              allowDecimal={false}
              thousandSeparator=","
              hideControls
              w={180}
              value={limits[key]}
              onChange={(value) =>
                typeof value === 'number' && setLimits((known) => ({ ...known, [key]: value }))
              }
            />
          ))}
        </div>
        <Switch
          label="Its keys work"
          checked={isActive}
          onChange={(event) => setActive(event.currentTarget.checked)}
        />
        {save.error !== null && <Failure error={save.error} />}
        <div className="row">
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Modal>
  );
}
