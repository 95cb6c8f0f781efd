import { Button, PasswordInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { startFirstRead } from '../api/first-reads.ts';
import { call, sessionQuery, type CallInput } from '../api/call.ts';
import { Failure } from '../parts/states.tsx';
import styles from './sign-in.module.css';

/** The token of a one-time link. It follows the `#`, and browsers never send that part. */
function readLink(): string | undefined {
  return new URLSearchParams(location.hash.slice(1)).get('link') ?? undefined;
}

/** Signs in with an API key, or at once with a one-time link. */
export function SignInPage() {
  const { to } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  const router = useRouter();
  const client = useQueryClient();
  const [key, setKey] = useState('');
  const [link] = useState(readLink);
  const isLinkTried = useRef(false);
  const mutation = useMutation({
    mutationFn: (body: CallInput<'signIn'>['body']) => call('signIn', { body }),
    onMutate: () => {
      // Their code arrives while the service checks the key.
      for (const routeId of ['/app', '/app/parsers'] as const)
        router.loadRouteChunk(router.routesById[routeId])?.catch(() => undefined);
    },
    onSuccess: async () => {
      client.removeQueries({ queryKey: sessionQuery.queryKey });
      startFirstRead(client, '/app', {});
      if (to === undefined) startFirstRead(client, '/app/parsers', {});
      await navigate({ to: to ?? '/', replace: true });
    },
  });
  const { mutate } = mutation;
  useEffect(() => {
    document.title = 'Sign in · Gleaner';
    if (link === undefined || isLinkTried.current) return;
    isLinkTried.current = true;
    history.replaceState(null, '', location.pathname + location.search);
    mutate({ link });
  }, [link, mutate]);
  // A link opens the dashboard without a sight of the form.
  if (link !== undefined && mutation.error === null)
    return (
      <main className={styles.page}>
        <p role="status" className="soft">
          Signing in …
        </p>
      </main>
    );
  return (
    <main className={styles.page}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          mutate({ api_key: key.trim() });
        }}
      >
        <h1 className={styles.name}>
          <img src="/icon.svg" alt="" />
          Gleaner
        </h1>
        <p className="soft">
          {to === undefined
            ? 'Structured data from web pages, on your own machine.'
            : 'You are signed out here. Sign in to come back to your page.'}
        </p>
        <PasswordInput
          size="sm"
          label="API key"
          description="npm start prints it, and has it in credentials.json of the data folder; gleaner accounts create prints it too."
          placeholder="gln_…"
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
          autoFocus
          required
          withAsterisk={false}
        />
        <Button type="submit" size="sm" loading={mutation.isPending} disabled={key.trim() === ''}>
          Sign in
        </Button>
        <Failure error={mutation.error} />
      </form>
    </main>
  );
}
