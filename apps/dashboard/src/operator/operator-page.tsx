import { Button, PasswordInput, SegmentedControl } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { call, sessionQuery } from '../api/call.ts';
import { Form, textInput } from '../parts/forms.tsx';
import { Page, Failure } from '../parts/page.tsx';
import { AccountsTab } from './accounts-tab.tsx';
import { HealthTab } from './health-tab.tsx';
import styles from './operator.module.css';
import { readOperatorSearch } from './search.ts';

function SignInOperator() {
  const client = useQueryClient();
  const [password, setPassword] = useState('');
  const enter = useMutation({
    mutationFn: () => call('signInOperator', { body: { password } }),
    onSuccess: () => client.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  });
  return (
    <Page title="Operator" padded>
      <Form className={`form ${styles.sign}`} onSubmit={() => enter.mutate()}>
        <p className="soft">
          The operator sees all accounts and queues. The operator session is separate from yours and lasts 12
          hours.
        </p>
        <PasswordInput
          label="Operator password"
          description="GLEANER_OPERATOR_PASSWORD; with npm start it is in credentials.json of the data folder."
          {...textInput(password, setPassword)}
        />
        <div>
          <Button type="submit" disabled={password === ''} loading={enter.isPending}>
            Open
          </Button>
        </div>
        <Failure error={enter.error} />
      </Form>
    </Page>
  );
}

/** The whole installation, behind the operator's own session: health, accounts, queues. */
export function OperatorPage() {
  const client = useQueryClient();
  const session = useQuery(sessionQuery);
  const { tab = 'health' } = useSearch({ from: '/app/operator' });
  const navigate = useNavigate({ from: '/operator' });
  const leave = useMutation({
    mutationFn: () => call('signOutOperator', {}),
    onSuccess: async () => {
      for (const name of ['getSystemHealth', 'listAccounts']) client.removeQueries({ queryKey: [name] });
      await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
  if (session.data?.is_operator !== true) return <SignInOperator />;
  return (
    <Page
      title="Operator"
      actions={
        <Button variant="default" loading={leave.isPending} onClick={() => leave.mutate()}>
          End operator session
        </Button>
      }
      filters={
        <>
          <SegmentedControl
            data={[
              { value: 'health', label: 'Health' },
              { value: 'accounts', label: 'Accounts' },
              { value: 'queues', label: 'Queues' },
            ]}
            value={tab}
            onChange={(value) => void navigate({ search: readOperatorSearch({ tab: value }), replace: true })}
          />
          {tab === 'queues' && (
            <span className="soft small">
              Bull Board shows the deliveries to workers. Cancel and retry runs on their own pages.
            </span>
          )}
        </>
      }
    >
      {tab === 'health' && <HealthTab />}
      {tab === 'accounts' && <AccountsTab />}
      {tab === 'queues' && <iframe title="Queues" src="/admin/queues/" className={styles.queues} />}
    </Page>
  );
}
