import { Spotlight, spotlight, type SpotlightActionData } from '@mantine/spotlight';
import '@mantine/spotlight/styles.css';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { operationQuery } from '../api/queries.ts';
import { IconFileCode, IconHelpCircle, IconPlus, IconSearch } from '../parts/icons.ts';
import { openKeysHelp } from './keys-help.tsx';
import { ACCOUNT, WORK } from './places.ts';

export const openPalette = spotlight.open;

/** ⌘K: pages, things of the account and commands in one list. */
export function Palette() {
  const navigate = useNavigate();
  const parsers = useQuery({
    ...operationQuery('listParsers', { query: { limit: 100 } }),
    staleTime: 60_000,
  });
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
    { id: 'keys-help', label: 'Keys', leftSection: <IconHelpCircle size={16} />, onClick: openKeysHelp },
  ];
  const found: SpotlightActionData[] = (parsers.data?.parsers ?? []).map(({ id, name }) => ({
    id,
    label: name,
    description: 'Parser',
    leftSection: <IconFileCode size={16} />,
    onClick: () => void navigate({ to: '/parsers/$parserId', params: { parserId: id } }),
  }));
  return (
    <Spotlight
      shortcut="mod + K"
      // Also while something is typed.
      tagsToIgnore={[]}
      triggerOnContentEditable
      highlightQuery
      limit={8}
      nothingFound="Nothing has this name"
      searchProps={{ placeholder: 'Pages, parsers, commands', leftSection: <IconSearch size={16} /> }}
      actions={[
        { group: 'Commands', actions: commands },
        { group: 'Pages', actions: places },
        { group: 'Parsers', actions: found },
      ]}
    />
  );
}
