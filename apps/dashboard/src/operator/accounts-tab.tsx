import { NumberInput, TextInput, Button, Switch } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, listQuery, useChange } from '../api/call.ts';
import type { Account } from '../api/operator.ts';
import { formatBytes, formatNumber } from '../format/format.ts';
import { column, extra, numberColumn } from '../parts/columns.tsx';
import type { Column } from '../parts/data-table.tsx';
import { FormDialog, SecretDialog } from '../parts/form-dialog.tsx';
import { IconPlus } from '../parts/icons.ts';
import { useListSearch } from '../parts/list-search.ts';
import { SearchField } from '../parts/search-field.tsx';
import { Listed } from '../parts/listed.tsx';
import { Confirm, OpenButton } from '../parts/buttons.tsx';
import { Filters, Empty, Status, Facts } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { AccountRuns } from './account-runs.tsx';
import { accountChange, draftOfAccount, LIMITS } from './account-draft.ts';

interface EraseProps {
  account: Account;
  onBack: () => void;
  onDone: () => void;
}

/** Erases an account for good, once its name is typed. */
function EraseAccount({ account, onBack, onDone }: EraseProps) {
  return (
    <Confirm
      title={`Erase ${account.name}`}
      action="Erase account"
      typed={account.name}
      run={() => call('eraseAccount', { params: { id: account.id }, body: { name: account.name } })}
      stale={['listAccounts']}
      onDone={onDone}
      onClose={onBack}
    >
      Its keys stop working at once and its live runs are cancelled. Then its parsers, runs, pages, ledger and
      managed tables are removed, in parts, for good. Tables in Postgres databases of its own stay.{' '}
      <code>gleaner accounts erase</code> prints the receipt.
    </Confirm>
  );
}

/** Changes the limits of an account, gives it credits, closes it. */
function AccountDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const form = useForm({ initialValues: draftOfAccount(account) });
  const save = useChange(
    () => call('updateAccount', { params: { id: account.id }, body: accountChange(account, form.values) }),
    { stale: ['listAccounts'], onDone: onClose },
  );
  const isClosing = account.active && !form.values.active;
  const [isAsking, setAsking] = useState(false);
  const [isErasing, setErasing] = useState(false);
  if (isErasing) return <EraseAccount account={account} onBack={() => setErasing(false)} onDone={onClose} />;
  if (isAsking)
    return (
      <Confirm
        title={`Close ${account.name}`}
        action="Close account"
        run={() => save.mutateAsync()}
        onClose={() => setAsking(false)}
      >
        All keys and sessions of {account.name} stop working at once, its crons don’t fire, and its unfinished
        runs wait. Its credits, parsers and rows stay: you can open it again here.
      </Confirm>
    );
  return (
    <FormDialog
      title={account.name}
      size="lg"
      onClose={onClose}
      sent={{ ...save, mutate: () => (isClosing ? setAsking(true) : save.mutate()) }}
      submit={isClosing ? 'Close …' : 'Save'}
      beside={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <span className="grow" />
          <Button variant="default" onClick={() => setErasing(true)}>
            Erase …
          </Button>
        </>
      }
    >
      <Facts
        facts={[
          ['Id', <code>{account.id}</code>],
          [
            'Credits',
            `${formatNumber(account.credit_balance)}, ${formatNumber(account.credits_reserved)} of them reserved; ${formatNumber(account.credits_used)} used so far`,
          ],
        ]}
      />
      <NumberInput
        label="Add credits"
        description="A negative number removes free credits."
        placeholder="0"
        allowDecimal={false}
        thousandSeparator=","
        hideControls
        w={220}
        {...form.getInputProps('grant')}
      />
      <div className="row wrap bottom">
        {LIMITS.map(({ key, label }) => (
          <NumberInput
            key={key}
            label={label}
            min={0}
            allowDecimal={false}
            thousandSeparator=","
            hideControls
            w={180}
            {...form.getInputProps(`limits.${key}`)}
          />
        ))}
      </div>
      <AccountRuns account={account.id} />
      <Switch label="Its keys work" {...form.getInputProps('active', { type: 'checkbox' })} />
    </FormDialog>
  );
}

function NewAccount({ onClose }: { onClose: () => void }) {
  const form = useForm<{ name: string; credits: number | '' }>({
    initialValues: { name: '', credits: 10_000 },
  });
  const { name, credits } = form.values;
  const create = useChange(
    () => call('createAccount', { body: { name, credits: credits === '' ? 0 : credits } }),
    { stale: ['listAccounts'] },
  );
  if (create.data)
    return (
      <SecretDialog
        title={`Account ${create.data.account.name}`}
        about="This is the account’s first key. It is shown once: copy it now."
        label="API key"
        secret={create.data.api_key}
        onClose={onClose}
      />
    );
  return (
    <FormDialog
      title="New account"
      onClose={onClose}
      sent={create}
      submit="Create"
      isReady={name.trim() !== ''}
    >
      <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
      <NumberInput
        label="Credits to start with"
        min={0}
        allowDecimal={false}
        thousandSeparator=","
        hideControls
        {...form.getInputProps('credits')}
      />
    </FormDialog>
  );
}

function columnsOf(onOpen: (account: Account) => void): readonly Column<Account>[] {
  return [
    column('Account', 'minmax(140px, 1fr)', (account) => (
      <button type="button" className="link" onClick={() => onOpen(account)}>
        {account.name}
      </button>
    )),
    extra(
      column('State', '100px', ({ active }) =>
        active ? <Status status="succeeded" word="active" /> : <Status status="cancelled" word="closed" />,
      ),
    ),
    numberColumn('Credits', '110px', (account) => account.credit_balance),
    extra(numberColumn('Used', '110px', (account) => account.credits_used)),
    extra(column('Stored', '90px', (account) => formatBytes(account.stored_bytes))),
    extra(numberColumn('At once', '80px', (account) => account.concurrency)),
    extra(numberColumn('Requests/min', '110px', (account) => account.requests_per_minute)),
    extra(column('Created', '120px', (account) => <When at={account.created_at} />)),
  ];
}

/** All accounts with their credits and limits. */
export function AccountsTab() {
  const { search } = useListSearch();
  const [opened, setOpened] = useState<Account | undefined>();
  const query = useInfiniteQuery(listQuery('listAccounts', { query: { text: search } }));
  return (
    <div className="column">
      <Filters>
        <SearchField label="Find an account" />
        <span className="grow" />
        <OpenButton isMain icon={IconPlus} dialog={(close) => <NewAccount onClose={close} />}>
          New account
        </OpenButton>
      </Filters>
      <div className="fill">
        <Listed
          label="Accounts"
          query={query}
          rowsOf={(page): readonly Account[] => page.accounts}
          rowId={({ id }) => id}
          onOpen={setOpened}
          columns={columnsOf(setOpened)}
          empty={
            <Empty title={search === undefined ? 'No account yet' : 'No accounts match'}>
              <p>An account owns credits, keys, parsers and runs.</p>
            </Empty>
          }
        />
      </div>
      {opened && <AccountDialog account={opened} onClose={() => setOpened(undefined)} />}
    </div>
  );
}
