import { queryOptions, useQuery } from '@tanstack/react-query';
import { call, type CallOutput } from './call.ts';

export type Named = CallOutput<'getNames'>['names'][number];

/** The most identifiers of one call. */
const MOST = 100;
/** Other texts, such as cells of tables, are names of nothing. */
const ID = /^[a-z]{2,3}_\w{1,40}$/;

/** Reads names by identifier; those that are asked for at the same time are one call. */
function createNameReader(): (id: string) => Promise<Named | null> {
  let next: { ids: Set<string>; known: Promise<Map<string, Named>> } | undefined;
  const begin = (): NonNullable<typeof next> => {
    const ids = new Set<string>();
    const known = new Promise<void>((resolve) => setTimeout(resolve)).then(async () => {
      if (next?.ids === ids) next = undefined;
      const { names } = await call('getNames', { query: { ids: [...ids].join(',') } });
      return new Map(names.map((named) => [named.id, named]));
    });
    return { ids, known };
  };
  return async (id) => {
    if (next === undefined || next.ids.size === MOST) next = begin();
    next.ids.add(id);
    return (await next.known).get(id) ?? null;
  };
}

const readName = createNameReader();

function nameQuery(id: string) {
  return queryOptions({
    queryKey: ['getNames', id],
    queryFn: () => readName(id),
    staleTime: 60_000,
    retry: false,
  });
}

/** What something is called, whatever its kind; null when nothing has this identifier, undefined until it is read. */
export function useNamed(id: string | null | undefined): Named | null | undefined {
  const isId = typeof id === 'string' && ID.test(id);
  return useQuery({ ...nameQuery(id ?? ''), enabled: isId }).data;
}
