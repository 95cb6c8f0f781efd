import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useState } from 'react';
import { signedOut } from '../api/call.ts';
import { sessionQuery } from '../api/session.ts';
import { toProblem } from '../api/problem.ts';
import { createAppRouter } from './router.tsx';
import { theme } from './theme.ts';

const MAX_TRIES = 2;

function createClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // The server would refuse the same call again.
        retry: (tries, error) => {
          const { status } = toProblem(error);
          return tries < MAX_TRIES && (status === 0 || status === 503);
        },
      },
    },
  });
}

function createApp() {
  const client = createClient();
  const router = createAppRouter(client);
  signedOut.addEventListener('signed-out', () => {
    if (location.pathname === '/sign-in' || client.getQueryData(sessionQuery.queryKey) === undefined) return;
    client.clear();
    void router.navigate({ to: '/sign-in', search: { to: location.pathname + location.search } });
  });
  return { client, router };
}

/** The whole dashboard. */
export function App() {
  const [{ client, router }] = useState(createApp);
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
