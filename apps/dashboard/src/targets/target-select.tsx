import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { operationQuery } from '../api/call.ts';

interface TargetSelectProps {
  label: string;
  /** As `keyOfTarget` makes it. */
  value: string | null;
  onChange: (key: string | null) => void;
  /** Whether a workflow may be chosen too. */
  withWorkflows?: boolean;
}

interface Named {
  id: string;
  name: string;
}

function groupOf(group: string, type: string, targets: readonly Named[] = []) {
  return { group, items: targets.map(({ id, name }) => ({ value: `${type}:${id}`, label: name })) };
}

/** Chooses what reads the pages: a parser or a prebuilt API. */
export function TargetSelect({ label, value, onChange, withWorkflows = false }: TargetSelectProps) {
  const parsers = useQuery(operationQuery('listParsers', { query: { limit: 100 } }));
  const apis = useQuery({ ...operationQuery('listApis', {}), staleTime: Infinity });
  const workflows = useQuery({
    ...operationQuery('listWorkflows', { query: { limit: 100 } }),
    enabled: withWorkflows,
  });
  const groups = [
    groupOf('Parsers', 'parser', parsers.data?.parsers),
    groupOf('APIs', 'api', apis.data?.apis),
    groupOf('Workflows', 'workflow', workflows.data?.workflows),
  ];
  return (
    <Select
      label={label}
      placeholder={withWorkflows ? 'A parser, an API or a workflow' : 'A parser or an API'}
      searchable
      data={groups.filter(({ items }) => items.length > 0)}
      value={value}
      onChange={onChange}
      nothingFoundMessage="No matches"
    />
  );
}
