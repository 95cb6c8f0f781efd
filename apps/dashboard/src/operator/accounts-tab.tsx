import { Button, Modal, NumberInput, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createAccount, readAccounts, type Account } from '../api/operator.ts';
import { formatNumber } from '../format/number.ts';
import { CodeBlock } from '../parts/copy.tsx';
import { IconPlus } from '../parts/icons.ts';
import { Listed } from '../parts/listed.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { Status, When } from '../parts/values.tsx';
import { AccountDialog } from './account-dialog.tsx';

function NewAccount({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [credits, setCredits] = useState(10_000);
  const create = useMutation({
    mutationFn: () => createAccount({ name, credits }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['operator', 'accounts'] }),
  });
  if (create.data) {
    return (
      <Modal opened onClose={onClose} title={`Account ${create.data.account.name}`} size="lg">
        <div className="stack">
          <p>Its first key. It is shown once: hand it over now.</p>
          <CodeBlock label="API key" text={create.data.api_key} />
        </div>
      </Modal>
    );
  }
  return (
    <Modal opened onClose={onClose} title="New account">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        <NumberInput
          label="Credits to start with"
          min={0}
          allowDecimal={false}
          thousandSeparator=","
          hideControls
          value={credits}
          onChange={(value) => typeof value === 'number' && setCredits(value)}
        />
        {create.error !== null && <Failure error={create.error} />}
        <div>
          <Button type="submit" disabled={name.trim() === ''} loading={create.isPending}>
            Create
          </Button>
        </div>
      </form>
    </Modal>
  );
}

/** All accounts with their credits and limits. */
export function AccountsTab() {
  const [text, setText] = useState('');
  const [settled] = useDebouncedValue(text, 200);
  const [isAdding, setAdding] = useState(false);
  const [opened, setOpened] = useState<Account | undefined>();
  const query = useInfiniteQuery({
    queryKey: ['operator', 'accounts', settled],
    queryFn: ({ pageParam }) => readAccounts(settled, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  return (
    <div style={{ display: 'flex', flexDirection: 'column', height: '100%' }}>
      <div className="filters">
        <TextInput
          aria-label="Find an account"
          placeholder="Name or id"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          w={240}
          data-search
        />
        <span className="grow" />
        <Button leftSection={<IconPlus size={14} />} onClick={() => setAdding(true)}>
          New account
        </Button>
      </div>
      <div style={{ flex: 1, minHeight: 0 }}>
        <Listed
          label="Accounts"
          query={query}
          rowsOf={(page) => page.accounts}
          rowId={({ id }) => id}
          onOpen={setOpened}
          empty={
            <Empty title={settled === '' ? 'No account yet' : 'No account is named like this'}>
              <p>An account holds credits, keys and everything that is made with them.</p>
            </Empty>
          }
          columns={[
            {
              id: 'name',
              header: 'Account',
              width: 'minmax(140px, 1fr)',
              cell: (account) => (
                <button type="button" className="link" onClick={() => setOpened(account)}>
                  {account.name}
                </button>
              ),
            },
            {
              id: 'state',
              header: 'State',
              width: '100px',
              cell: ({ active }) =>
                active ? (
                  <Status status="succeeded" word="active" />
                ) : (
                  <Status status="cancelled" word="closed" />
                ),
            },
            {
              id: 'balance',
              header: 'Credits',
              width: '110px',
              align: 'right',
              cell: ({ credit_balance }) => formatNumber(credit_balance),
            },
            {
              id: 'used',
              isExtra: true,
              header: 'Used',
              width: '110px',
              align: 'right',
              cell: ({ credits_used }) => formatNumber(credits_used),
            },
            {
              id: 'concurrency',
              isExtra: true,
              header: 'At once',
              width: '80px',
              align: 'right',
              cell: ({ concurrency }) => formatNumber(concurrency),
            },
            {
              id: 'rate',
              isExtra: true,
              header: 'Requests/min',
              width: '110px',
              align: 'right',
              cell: ({ requests_per_minute }) => formatNumber(requests_per_minute),
            },
            {
              id: 'created',
              isExtra: true,
              header: 'Created',
              width: '120px',
              cell: (one) => <When at={one.created_at} />,
            },
          ]}
        />
      </div>
      {isAdding && <NewAccount onClose={() => setAdding(false)} />}
      {opened && <AccountDialog account={opened} onClose={() => setOpened(undefined)} />}
    </div>
  );
}
