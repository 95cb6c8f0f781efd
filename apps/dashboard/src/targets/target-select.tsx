import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { operationQuery } from '../api/queries.ts';

interface TargetSelectProps {
  label: string;
  /** As `keyOfTarget` makes it. */
  value: string | null;
  onChange: (key: string | null) => void;
  /** Whether a workflow may be chosen too. */
  withWorkflows?: boolean;
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
    {
      group: 'Parsers',
      items: (parsers.data?.parsers ?? []).map(({ id, name }) => ({ value: `parser:${id}`, label: name })),
    },
    {
      group: 'APIs',
      items: (apis.data?.apis ?? []).map(({ id, name }) => ({ value: `api:${id}`, label: name })),
    },
    {
      group: 'Workflows',
      items: (workflows.data?.workflows ?? []).map(({ id, name }) => ({
        value: `workflow:${id}`,
        label: name,
      })),
    },
  ];
  return (
    <Select
      label={label}
      placeholder={withWorkflows ? 'A parser, an API or a workflow' : 'A parser or an API'}
      searchable
      data={groups.filter(({ items }) => items.length > 0)}
      value={value}
      onChange={onChange}
      nothingFoundMessage="No parser or API has this name"
    />
  );
}
