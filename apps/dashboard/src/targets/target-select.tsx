import { PAGE_PARSER } from '@gleaner/contracts/values';
import { Select } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { operationQuery } from '../api/call.ts';
import { useNamed } from '../api/names.ts';
import { choicesFrom } from '../parts/choices.ts';
import { choicesFault, useSearched } from '../parts/use-searched.ts';

interface TargetSelectProps {
  label: string;
  /** As `keyOfTarget` makes it. */
  value: string | null;
  onChange: (key: string | null) => void;
  /** Whether a workflow may be chosen too. */
  withWorkflows?: boolean;
}

/** One kind of target; the present choice is among its own kind. */
function groupOf(group: string, type: string, ...[found, chosen]: Parameters<typeof choicesFrom>) {
  const items = choicesFrom(found, chosen);
  return { group, items: items.map(({ value, label }) => ({ value: `${type}:${value}`, label })) };
}

/** What every account has. */
const BUILT_IN = { id: PAGE_PARSER, name: `${PAGE_PARSER}: any page as markdown` };

/** Chooses what reads the pages: a parser or a prebuilt API. */
export function TargetSelect({ label, value, onChange, withWorkflows = false }: TargetSelectProps) {
  const [type, id] = value?.split(':') ?? [];
  const named = useNamed(id);
  const { query, field } = useSearched(
    type === 'api' ? id : id === BUILT_IN.id ? BUILT_IN.name : (named?.name ?? undefined),
  );
  const searched = { placeholderData: keepPreviousData };
  const parsers = useQuery({ ...operationQuery('listParsers', { query }), ...searched });
  const apis = useQuery({ ...operationQuery('listApis', {}), staleTime: Infinity });
  const workflows = useQuery({
    ...operationQuery('listWorkflows', { query }),
    ...searched,
    enabled: withWorkflows,
  });
  const typed = query.search?.toLowerCase() ?? '';
  const matching = apis.data?.apis.filter((api) => api.name.toLowerCase().includes(typed) || api.id === id);
  const isBuiltIn = BUILT_IN.name.includes(typed) || id === BUILT_IN.id;
  const groups = [
    groupOf('Parsers', 'parser', parsers.data?.parsers, type === 'parser' ? named : null),
    groupOf('Built in', 'parser', isBuiltIn ? [BUILT_IN] : []),
    groupOf('APIs', 'api', matching),
    groupOf('Workflows', 'workflow', workflows.data?.workflows, type === 'workflow' ? named : null),
  ];
  return (
    <Select
      label={label}
      placeholder={withWorkflows ? 'A parser, an API or a workflow' : 'A parser or an API'}
      data={groups.filter(({ items }) => items.length > 0)}
      value={value}
      onChange={onChange}
      {...field}
      {...choicesFault(parsers.error ?? apis.error ?? workflows.error)}
    />
  );
}
