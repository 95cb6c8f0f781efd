import { Spotlight, spotlight, type SpotlightActionData } from '@mantine/spotlight';
import '@mantine/spotlight/styles.css';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { operationQuery } from '../api/queries.ts';
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
import { formatMoment } from '../format/time.ts';
import { openKeysHelp } from './keys-help.tsx';
import { ACCOUNT, WORK } from './places.ts';

export const openPalette = spotlight.open;

/** ⌘K: pages, the account's resources and commands in one list. */
export function Palette() {
  const navigate = useNavigate();
  // The account's resources are read when the palette opens.
  const [wasOpened, setOpened] = useState(false);
  const few = { query: { limit: 100 } };
  const options = { staleTime: 60_000, enabled: wasOpened };
  const parsers = useQuery({ ...operationQuery('listParsers', few), ...options });
  const crons = useQuery({ ...operationQuery('listCrons', few), ...options });
  const workflows = useQuery({ ...operationQuery('listWorkflows', few), ...options });
  const batches = useQuery({ ...operationQuery('listBatches', few), ...options });
  const databases = useQuery({ ...operationQuery('listDatabases', few), ...options });
  const places: SpotlightActionData[] = [...WORK, ...ACCOUNT].map(({ to, label, about, icon: Icon }) => ({
    id: to,
    label,
    description: about,
    leftSection: <Icon size={16} />,
    onClick: () => void navigate({ to }),
  }));
  const commands: SpotlightActionData[] = [
    {
      id: 'new-parser',
      label: 'New parser',
      description: 'Open a page and pick what to read',
      leftSection: <IconPlus size={16} />,
      onClick: () => void navigate({ to: '/parsers/new' }),
    },
    {
      id: 'new-run',
      label: 'New batch',
      description: 'Run a parser or an API over many pages',
      leftSection: <IconPlus size={16} />,
      onClick: () => void navigate({ to: '/runs/new' }),
    },
    {
      id: 'new-cron',
      label: 'New cron',
      description: 'Run on a schedule',
      leftSection: <IconPlus size={16} />,
      onClick: () => void navigate({ to: '/crons/new' }),
    },
    {
      id: 'new-workflow',
      label: 'New workflow',
      description: 'Follow links from list pages to what they lead to',
      leftSection: <IconPlus size={16} />,
      onClick: () => void navigate({ to: '/workflows/new' }),
    },
    {
      id: 'keys-help',
      label: 'Keyboard shortcuts',
      leftSection: <IconHelpCircle size={16} />,
      onClick: openKeysHelp,
    },
  ];
  const found: SpotlightActionData[] = [
    ...(parsers.data?.parsers ?? []).map(({ id, name }) => ({
      id,
      label: name,
      description: 'Parser',
      leftSection: <IconFileCode size={16} />,
      onClick: () => void navigate({ to: '/parsers/$parserId', params: { parserId: id } }),
    })),
    ...(batches.data?.batches ?? []).map(({ id, name, created_at }) => ({
      id,
      label: name ?? `Batch of ${formatMoment(created_at)}`,
      description: `Batch of ${formatMoment(created_at)}`,
      leftSection: <IconPlayerPlay size={16} />,
      onClick: () => void navigate({ to: '/runs/batches/$batchId', params: { batchId: id } }),
    })),
    ...(crons.data?.crons ?? []).map(({ id, name }) => ({
      id,
      label: name,
      description: 'Cron',
      leftSection: <IconCalendarClock size={16} />,
      onClick: () => void navigate({ to: '/crons/$cronId', params: { cronId: id } }),
    })),
    ...(workflows.data?.workflows ?? []).map(({ id, name }) => ({
      id,
      label: name,
      description: 'Workflow',
      leftSection: <IconHierarchy2 size={16} />,
      onClick: () => void navigate({ to: '/workflows/$workflowId', params: { workflowId: id } }),
    })),
    ...(databases.data?.databases ?? []).map(({ id, name }) => ({
      id,
      label: name,
      description: 'Database',
      leftSection: <IconDatabase size={16} />,
      onClick: () => void navigate({ to: '/databases/$databaseId', params: { databaseId: id } }),
    })),
  ];
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
      nothingFound="Nothing has this name"
      searchProps={{
        placeholder: 'Pages, parsers, batches, commands',
        leftSection: <IconSearch size={16} />,
      }}
      actions={[
        { group: 'Commands', actions: commands },
        { group: 'Pages', actions: places },
        { group: 'Yours', actions: found },
      ]}
    />
  );
}
