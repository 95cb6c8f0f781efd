import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { operationQuery } from '../api/queries.ts';
import type { Stage } from './stages.ts';

/** Names what a stage runs. */
export function useTargetName(): (target: Stage['target']) => string {
  const { data } = useQuery({
    ...operationQuery('listParsers', { query: { limit: 100 } }),
    staleTime: 60_000,
  });
  return useCallback(
    (target) => {
      if (target.type === 'api') return target.id;
      const name = data?.parsers.find(({ id }) => id === target.parserId)?.name ?? 'a parser';
      return target.version === undefined ? name : `${name} v${target.version}`;
    },
    [data],
  );
}
