import { Spotlight, spotlight, type SpotlightActionData } from '@mantine/spotlight';
import '@mantine/spotlight/styles.css';
import { useQuery } from '@tanstack/react-query';
import { linkOptions, useNavigate, type LinkOptions } from '@tanstack/react-router';
import { useState, type ComponentType } from 'react';
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
import { openKeysHelp } from './keys-help.tsx';
import { ACCOUNT, WORK } from './places.ts';

export const openPalette = spotlight.open;

/** A line of the palette that leads to a page. */
interface Entry {
  id: string;
  label: string;
  about: string;
  icon: ComponentType<{ size?: number }>;
  to: LinkOptions;
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
  { label: 'New cron', about: 'Run on a schedule', to: linkOptions({ to: '/crons/new' }) },
  {
    label: 'New workflow',
    about: 'Follow links from list pages to detail pages',
    to: linkOptions({ to: '/workflows/new' }),
  },
].map((entry) => ({ ...entry, id: entry.label, icon: IconPlus }));

const PLACES: readonly Entry[] = [...WORK, ...ACCOUNT].map(({ to, ...place }) => ({
  ...place,
  id: place.label,
  to: { to },
}));

/** The account's resources, which are read when the palette opens. */
function useResources(enabled: boolean): readonly Entry[] {
  const few = { query: { limit: 100 } };
  const options = { staleTime: 60_000, enabled };
  const parsers = useQuery({ ...operationQuery('listParsers', few), ...options });
  const crons = useQuery({ ...operationQuery('listCrons', few), ...options });
  const workflows = useQuery({ ...operationQuery('listWorkflows', few), ...options });
  const batches = useQuery({ ...operationQuery('listBatches', few), ...options });
  const databases = useQuery({ ...operationQuery('listDatabases', few), ...options });
  return [
    ...(parsers.data?.parsers ?? []).map(({ id, name }) => ({
      id,
      label: name,
      about: 'Parser',
      icon: IconFileCode,
      to: linkOptions({ to: '/parsers/$parserId', params: { parserId: id } }),
    })),
    ...(batches.data?.batches ?? []).map(({ id, name, created_at: at }) => ({
      id,
      label: name ?? `Batch of ${formatMoment(at)}`,
      about: `Batch of ${formatMoment(at)}`,
      icon: IconPlayerPlay,
      to: linkOptions({ to: '/runs/batches/$batchId', params: { batchId: id } }),
    })),
    ...(crons.data?.crons ?? []).map(({ id, name }) => ({
      id,
      label: name,
      about: 'Cron',
      icon: IconCalendarClock,
      to: linkOptions({ to: '/crons/$cronId', params: { cronId: id } }),
    })),
    ...(workflows.data?.workflows ?? []).map(({ id, name }) => ({
      id,
      label: name,
      about: 'Workflow',
      icon: IconHierarchy2,
      to: linkOptions({ to: '/workflows/$workflowId', params: { workflowId: id } }),
    })),
    ...(databases.data?.databases ?? []).map(({ id, name }) => ({
      id,
      label: name,
      about: 'Database',
      icon: IconDatabase,
      to: linkOptions({ to: '/databases/$databaseId', params: { databaseId: id } }),
    })),
  ];
}

/** ⌘K: pages, the account's resources and commands in one list. */
export function Palette() {
  const navigate = useNavigate();
  const [wasOpened, setOpened] = useState(false);
  const resources = useResources(wasOpened);
  const actionOf = ({ id, label, about, icon: Icon, to }: Entry): SpotlightActionData => ({
    id,
    label,
    description: about,
    leftSection: <Icon size={16} />,
    onClick: () => void navigate(to),
  });
  const help: SpotlightActionData = {
    id: 'keys-help',
    label: 'Keyboard shortcuts',
    leftSection: <IconHelpCircle size={16} />,
    onClick: openKeysHelp,
  };
  return (
    <Spotlight
      shortcut="mod + K"
      // Also while something is typed.
      tagsToIgnore={[]}
      triggerOnContentEditable
      highlightQuery
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
        { group: 'Commands', actions: [...NEW.map(actionOf), help] },
        { group: 'Pages', actions: PLACES.map(actionOf) },
        { group: 'Yours', actions: resources.map(actionOf) },
      ]}
    />
  );
}
