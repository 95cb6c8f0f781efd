import { createSpotlight, isActionsGroup, Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import '@mantine/spotlight/styles.css';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { linkOptions, useNavigate, type LinkOptions } from '@tanstack/react-router';
import { useEffect, useState, type ComponentType } from 'react';
import { operationQuery } from '../api/call.ts';
import {
  IconCalendarClock,
  IconDatabase,
  IconFileCode,
  IconHelpCircle,
  IconHierarchy2,
  IconPlayerPlay,
  IconPlus,
  IconSearch,
} from '../parts/icons.ts';
import { formatMoment } from '../format/format.ts';
import { filterGroups, SEARCHES } from './palette-filter.ts';
import type { Find } from './palette-finds.ts';
import { PLACES } from './places.ts';

const [store, spotlight] = createSpotlight();
export const openPalette = spotlight.open;

/** A line of the palette that leads to a page. */
interface Entry {
  id: string;
  label: string;
  about: string;
  icon: ComponentType<{ size?: number }>;
  to: LinkOptions;
  /** The text by which it was found; its label may have nothing of it. */
  foundBy?: string | undefined;
  /** It searches for the text, whether or not there is something. */
  isSearch?: boolean | undefined;
}

const NEW: readonly Entry[] = [
  {
    label: 'New parser',
    about: 'Open a page and pick what to read',
    to: linkOptions({ to: '/parsers/new' }),
  },
  {
    label: 'New batch',
    about: 'Run a parser or an API over many pages',
    to: linkOptions({ to: '/runs/new' }),
  },
  {
    label: 'New crawl',
    about: 'Map a site, then read its kinds of pages',
    to: linkOptions({ to: '/crawls/new' }),
  },
  { label: 'New cron', about: 'Run on a schedule', to: linkOptions({ to: '/crons/new' }) },
  {
    label: 'New workflow',
    about: 'Follow links from list pages to detail pages',
    to: linkOptions({ to: '/workflows/new' }),
  },
].map((entry) => ({ ...entry, id: entry.label, icon: IconPlus }));

const PAGES: readonly Entry[] = PLACES.map(({ to, ...place }) => ({
  ...place,
  id: place.label,
  to: { to },
}));

/** How many things of each kind the palette shows; others are found by typing. */
const SHOWN = 8;
const SETTLED_MS = 120;

/** Things of one kind as lines of the palette. */
function linesOf<One extends { id: string; name: string | null }>(
  things: readonly One[] | undefined,
  { to, ...entry }: Pick<Entry, 'about' | 'icon' | 'foundBy'> & { to: (id: string) => LinkOptions },
): Entry[] {
  return (things ?? []).map(({ id, name }) => ({ ...entry, id, label: name ?? entry.about, to: to(id) }));
}

/** The account's things whose name has this text; the latest ones without it. Read once the palette was opened. */
function useThings(text: string, enabled: boolean): readonly Entry[] {
  const found = { query: { limit: SHOWN, search: text || undefined } };
  const options = { staleTime: 5_000, enabled, placeholderData: keepPreviousData };
  const parsers = useQuery({ ...operationQuery('listParsers', found), ...options });
  const crons = useQuery({ ...operationQuery('listCrons', found), ...options });
  const workflows = useQuery({ ...operationQuery('listWorkflows', found), ...options });
  const batches = useQuery({ ...operationQuery('listBatches', found), ...options });
  const databases = useQuery({ ...operationQuery('listDatabases', found), ...options });
  /** Earlier answers stay until the text has its own. */
  const foundBy = ({ isPlaceholderData }: { isPlaceholderData: boolean }) =>
    isPlaceholderData ? undefined : text;
  return [
    ...linesOf(crons.data?.crons, {
      about: 'Collection, on a schedule',
      icon: IconCalendarClock,
      foundBy: foundBy(crons),
      to: (collectionId) => linkOptions({ to: '/collections/$collectionId', params: { collectionId } }),
    }),
    ...linesOf(parsers.data?.parsers, {
      about: 'Parser',
      icon: IconFileCode,
      foundBy: foundBy(parsers),
      to: (parserId) => linkOptions({ to: '/parsers/$parserId', params: { parserId } }),
    }),
    ...(batches.data?.batches ?? []).flatMap((batch) =>
      linesOf([batch], {
        about: `Batch of ${formatMoment(batch.created_at)}`,
        icon: IconPlayerPlay,
        foundBy: foundBy(batches),
        to: (batchId) => linkOptions({ to: '/runs/batches/$batchId', params: { batchId } }),
      }),
    ),
    ...linesOf(workflows.data?.workflows, {
      about: 'Workflow',
      icon: IconHierarchy2,
      foundBy: foundBy(workflows),
      to: (workflowId) => linkOptions({ to: '/workflows/$workflowId', params: { workflowId } }),
    }),
    ...linesOf(databases.data?.databases, {
      about: 'Database',
      icon: IconDatabase,
      foundBy: foundBy(databases),
      to: (databaseId) => linkOptions({ to: '/databases/$databaseId', params: { databaseId } }),
    }),
  ];
}

const NO_WORDS: Readonly<Record<string, string>> = {};

/** The tables whose name has the text, and what it may mean besides: a value in the tables beside the latest collection's. */
function useFinds(text: string, enabled: boolean) {
  const options = { staleTime: 60_000, enabled };
  const { data } = useQuery({
    ...operationQuery('listCollections', { query: { limit: SHOWN } }),
    ...options,
  });
  const id = data?.collections.find(({ database }) => database !== null)?.database ?? '';
  const database = useQuery({
    ...operationQuery('getDatabase', { params: { id } }),
    ...options,
    enabled: enabled && id !== '',
  });
  const tables = (database.data?.tables ?? []).map((table) => ({ ...table, database: id }));
  // Loaded when the palette opens: every page has the palette.
  const finds = useQuery({
    queryKey: ['palette-finds'],
    queryFn: () => import('./palette-finds.ts'),
    enabled,
    staleTime: Infinity,
  });
  if (finds.data === undefined) return { views: [], found: [], named: [], words: NO_WORDS };
  const { VIEWS, WORDS, findsOf, findTables } = finds.data;
  const toEntry = (find: Find): Entry => ({ id: find.label, icon: IconSearch, ...find });
  const found = findsOf(text, tables).map((find): Entry => ({ ...toEntry(find), foundBy: text }));
  const known = [
    ...(data?.collections ?? []),
    ...tables.map(({ name, database: own }) => ({ database: own, table: name })),
  ];
  const named = text === '' ? [] : findTables(text, known);
  return {
    views: VIEWS.map(toEntry),
    found,
    named: named.map((find): Entry => ({ ...toEntry(find), icon: IconDatabase })),
    words: WORDS,
  };
}

/** Chooses the first line for Enter: lines come after the text was typed, and the palette only chooses then. */
function useFirstChosen(isTyped: boolean): void {
  useEffect(() => {
    const { selected, listId } = store.getState();
    const list = document.getElementById(listId);
    const chosen = list?.querySelector('[data-selected]');
    // The arrows were pressed.
    if (!isTyped || (chosen && selected > 0)) return;
    chosen?.removeAttribute('data-selected');
    list?.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
  });
}

/** ⌘K: pages, the account's resources and commands in one list. */
export function Palette({ onHelp }: { onHelp: () => void }) {
  const navigate = useNavigate();
  const [wasOpened, setOpened] = useState(false);
  const [text, setText] = useState('');
  const [settled] = useDebouncedValue(text.trim(), SETTLED_MS);
  const things = useThings(settled, wasOpened);
  const { views, found, named, words } = useFinds(settled, wasOpened);
  useFirstChosen(text !== '');
  const actionOf = ({ id, label, about, icon: Icon, to, foundBy }: Entry): SpotlightActionData => ({
    id,
    label,
    description: about,
    keywords: foundBy ?? words[label] ?? '',
    leftSection: <Icon size={16} />,
    onClick: () => void navigate(to),
  });
  const help: SpotlightActionData = {
    id: 'keys-help',
    label: 'Keyboard shortcuts',
    leftSection: <IconHelpCircle size={16} />,
    onClick: onHelp,
  };
  return (
    <Spotlight
      store={store}
      filter={(query, actions) => filterGroups(query, actions.filter(isActionsGroup))}
      shortcut="mod + K"
      // Also while something is typed.
      tagsToIgnore={[]}
      triggerOnContentEditable
      highlightQuery
      query={text}
      onQueryChange={setText}
      limit={60}
      scrollable
      maxHeight="min(70vh, 560px)"
      onSpotlightOpen={() => setOpened(true)}
      nothingFound="No results"
      searchProps={{
        placeholder: 'Pages, parsers, batches, commands',
        leftSection: <IconSearch size={16} />,
      }}
      actions={[
        { group: 'Commands', actions: [...NEW.map(actionOf), ...views.map(actionOf), help] },
        { group: 'Pages', actions: PAGES.map(actionOf) },
        { group: 'Find', actions: found.filter(({ isSearch }) => !isSearch).map(actionOf) },
        { group: 'Yours', actions: [...named, ...things].map(actionOf) },
        { group: SEARCHES, actions: found.filter(({ isSearch }) => isSearch).map(actionOf) },
      ]}
    />
  );
}
