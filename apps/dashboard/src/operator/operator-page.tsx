import { Button, PasswordInput, SegmentedControl } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { call, operatorQuery } from '../api/call.ts';
import { Form, textInput } from '../parts/forms.tsx';
import { Failure, Loaded, Page } from '../parts/page.tsx';
import { AccountsTab } from './accounts-tab.tsx';
import { HealthTab } from './health-tab.tsx';
import '../parts/frame-styles.ts';
import styles from './operator.module.css';
import { readOperatorSearch } from './search.ts';

function BackLink() {
  return (
    <Button variant="default" component={Link} to="/parsers">
      To the dashboard
    </Button>
  );
}

function SignInOperator() {
  const client = useQueryClient();
  const [password, setPassword] = useState('');
  const enter = useMutation({
    mutationFn: () => call('signInOperator', { body: { password } }),
    onSuccess: () => client.invalidateQueries({ queryKey: operatorQuery.queryKey }),
  });
  return (
    <Page title="Operator" padded actions={<BackLink />}>
      <Form className={`form ${styles.sign}`} onSubmit={() => enter.mutate()}>
        <p className="soft">
          The operator sees all accounts and queues. This session is separate from that of an account and
          lasts 12 hours.
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

/** Health, accounts and queues. */
function Installation() {
  const client = useQueryClient();
  const { tab = 'health' } = useSearch({ from: '/operator' });
  const navigate = useNavigate({ from: '/operator' });
  const leave = useMutation({
    mutationFn: () => call('signOutOperator', {}),
    onSuccess: async () => {
      for (const name of ['getSystemHealth', 'listAccounts']) client.removeQueries({ queryKey: [name] });
      await client.invalidateQueries({ queryKey: operatorQuery.queryKey });
    },
  });
  return (
    <Page
      title="Operator"
      actions={
        <>
          <BackLink />
          <Button variant="default" loading={leave.isPending} onClick={() => leave.mutate()}>
            End operator session
          </Button>
        </>
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
              Bull Board shows runs and deliveries to workers. Pause queues under Health; cancel and retry
              runs on their own pages.
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

/** The whole installation, behind the operator's own session. It needs no account. */
export function OperatorPage() {
  const session = useQuery(operatorQuery);
  return (
    <main className={styles.main}>
      <Loaded query={session} what="the operator’s session">
        {({ is_operator: isOperator }) => (isOperator ? <Installation /> : <SignInOperator />)}
      </Loaded>
    </main>
  );
}
