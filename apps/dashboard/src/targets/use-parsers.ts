import { useQuery } from '@tanstack/react-query';
import { operationQuery } from '../api/call.ts';

interface NamedParser {
  id: string;
  name: string;
}

/** The account's parsers, by which pages name what reads; undefined until they are read. */
export function useParsers(): readonly NamedParser[] | undefined {
  const { data } = useQuery({
    ...operationQuery('listParsers', { query: { limit: 100 } }),
    staleTime: 60_000,
  });
  return data?.parsers;
}

/** The name of a parser among those that are read. */
export function parserName(parsers: readonly NamedParser[] | undefined, id: string): string | undefined {
  return parsers?.find((one) => one.id === id)?.name;
}
