import { skipToken, useQuery } from '@tanstack/react-query';
import { call, type CallOutput } from './call.ts';

export type Named = CallOutput<'getNames'>['names'][number];

/** The most identifiers of one call. */
const MOST = 100;
/** Other texts, such as cells of tables, are names of nothing. */
const ID = /^[a-z]{2,3}_\w{1,40}$/;

interface NamesCall {
  ids: Set<string>;
  known: Promise<Map<string, Named>>;
}

/** The call that is not sent yet. */
let next: NamesCall | undefined;

function beginCall(): NamesCall {
  const ids = new Set<string>();
  const known = new Promise<void>((resolve) => setTimeout(resolve)).then(async () => {
    if (next?.ids === ids) next = undefined;
    const { names } = await call('getNames', { query: { ids: [...ids].join(',') } });
    return new Map(names.map((named) => [named.id, named]));
  });
  return { ids, known };
}

/** Reads a name by identifier; those that are asked for at the same time are one call. */
async function readName(id: string): Promise<Named | null> {
  if (next === undefined || next.ids.size === MOST) next = beginCall();
  next.ids.add(id);
  return (await next.known).get(id) ?? null;
}

/** What something is called, whatever its kind; null when nothing has this identifier, undefined until it is read. */
export function useNamed(id: string | null | undefined): Named | null | undefined {
  const { data } = useQuery({
    queryKey: ['getNames', id],
    queryFn: typeof id === 'string' && ID.test(id) ? () => readName(id) : skipToken,
    staleTime: 60_000,
    retry: false,
  });
  return data;
}
