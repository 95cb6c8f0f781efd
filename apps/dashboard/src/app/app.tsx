import { MantineProvider, createTheme, type MantineColorsTuple } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useWindowEvent } from '@mantine/hooks';
import { useState } from 'react';
import { signedOut, sessionQuery } from '../api/call.ts';
import { toProblem } from '../api/problem.ts';
import { createAppRouter } from './router.tsx';

/** The one accent: ripe wheat. Light to dark. */
const wheat: MantineColorsTuple = [
  '#fdf7ea',
  '#f8ecd2',
  '#f0d7a3',
  '#e8c272',
  '#e0af4b',
  '#d09a30',
  '#b27f1f',
  '#986915',
  '#7d540d',
  '#5f3f08',
];

const compact = { defaultProps: { size: 'xs' } };

const closable = { closeButtonProps: { 'aria-label': 'Close' } };

const theme = createTheme({
  colors: { wheat },
  primaryColor: 'wheat',
  primaryShade: { light: 8, dark: 4 },
  autoContrast: true,
  defaultRadius: 6,
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  headings: { fontWeight: '600' },
  components: {
    Button: { defaultProps: { size: 'xs', variant: 'filled' } },
    TextInput: { defaultProps: { size: 'xs', spellCheck: false, autoComplete: 'off' } },
    PasswordInput: compact,
    NumberInput: compact,
    Autocomplete: compact,
    Select: { defaultProps: { size: 'xs', comboboxProps: { shadow: 'sm' } } },
    Textarea: { defaultProps: { size: 'xs', spellCheck: false } },
    SegmentedControl: compact,
    Switch: compact,
    Checkbox: compact,
    Menu: { defaultProps: { shadow: 'sm', position: 'bottom-end', transitionProps: { duration: 80 } } },
    Modal: {
      defaultProps: {
        ...closable,
        transitionProps: { duration: 100 },
        overlayProps: { backgroundOpacity: 0.35 },
      },
    },
    Drawer: { defaultProps: closable },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: false, multiline: true, maw: 360 } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
  },
});

const MAX_TRIES = 2;

function createClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // The service may be on this machine: whether the browser is online says nothing.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
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

function isSearched(target: EventTarget | null): target is HTMLInputElement {
  return (
    target instanceof HTMLInputElement &&
    !target.readOnly &&
    target.getAttribute('aria-haspopup') === 'listbox'
  );
}

/** A searched field that gets the focus has its text selected: typing takes its place. */
function selectSearched({ target }: FocusEvent): void {
  if (isSearched(target)) target.select();
}

/** Gives a clicked field the focus before the browser would, which would place the caret after it. */
function focusSearched(event: MouseEvent): void {
  if (!isSearched(event.target) || event.target === document.activeElement || event.button !== 0) return;
  event.preventDefault();
  event.target.focus();
}

/** The whole dashboard. */
export function App() {
  useWindowEvent('focusin', selectSearched);
  useWindowEvent('mousedown', focusSearched);
  const [{ client, router }] = useState(createApp);
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
