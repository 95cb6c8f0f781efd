import { Button, PasswordInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { sessionQuery, signInOperator, signOutOperator } from '../api/session.ts';
import { Page } from '../parts/page.tsx';
import { Failure } from '../parts/states.tsx';

/** The queues of the whole installation, behind the operator's own session. */
export function OperatorPage() {
  const client = useQueryClient();
  const session = useQuery(sessionQuery);
  const [password, setPassword] = useState('');
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  const enter = useMutation({ mutationFn: signInOperator, onSuccess: refresh });
  const leave = useMutation({ mutationFn: signOutOperator, onSuccess: refresh });
  if (session.data?.is_operator === true) {
    return (
      <Page
        title="Operator"
        aside={
          <span className="soft small">
            Queues, as they are. Postgres decides about work; this only shows.
          </span>
        }
        actions={
          <Button variant="default" loading={leave.isPending} onClick={() => leave.mutate()}>
            End operator session
          </Button>
        }
      >
        <iframe
          title="Queues"
          src="/admin/queues/"
          style={{ border: 0, width: '100%', height: '100%', display: 'block' }}
        />
      </Page>
    );
  }
  return (
    <Page title="Operator" padded>
      <form
        className="form"
        style={{ maxWidth: 360 }}
        onSubmit={(event) => {
          event.preventDefault();
          enter.mutate(password);
        }}
      >
        <p className="soft">
          The operator sees the queues of all accounts. This session is apart from yours and lasts 12 hours.
        </p>
        <PasswordInput
          label="Operator password"
          description="In credentials.json of the data folder."
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <div>
          <Button type="submit" disabled={password === ''} loading={enter.isPending}>
            Open
          </Button>
        </div>
        {enter.error !== null && <Failure error={enter.error} />}
      </form>
    </Page>
  );
}
