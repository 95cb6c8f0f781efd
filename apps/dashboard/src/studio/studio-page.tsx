import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { operationQuery } from '../api/queries.ts';
import { sessionQuery } from '../api/session.ts';
import { Loaded } from '../parts/states.tsx';
import type { StudioSearch } from './search.ts';
import { Studio } from './studio.tsx';

/** A parser that isn't saved yet. */
export function NewParserPage() {
  const search = useSearch({ from: '/app/parsers/new' });
  const navigate = useNavigate({ from: '/parsers/new' });
  const session = useQuery(sessionQuery);
  const onSearch = useCallback(
    (change: Partial<StudioSearch>) =>
      void navigate({ search: (known) => ({ ...known, ...change }), replace: true }),
    [navigate],
  );
  return (
    <Loaded query={session} what="the session">
      {({ account }) => (
        <Studio accountId={account.id} record={undefined} search={search} onSearch={onSearch} />
      )}
    </Loaded>
  );
}

/** A saved parser in the studio. */
export function ParserPage() {
  const { parserId } = useParams({ from: '/app/parsers/$parserId' });
  const search = useSearch({ from: '/app/parsers/$parserId' });
  const navigate = useNavigate({ from: '/parsers/$parserId' });
  const session = useQuery(sessionQuery);
  const parser = useQuery({
    ...operationQuery('getParser', { params: { id: parserId } }),
    refetchOnWindowFocus: false,
  });
  const onSearch = useCallback(
    (change: Partial<StudioSearch>) =>
      void navigate({ search: (known) => ({ ...known, ...change }), replace: true }),
    [navigate],
  );
  return (
    <Loaded query={parser} what="the parser">
      {(record) => (
        <Studio
          key={record.id}
          accountId={session.data?.account.id ?? ''}
          record={record}
          search={search}
          onSearch={onSearch}
        />
      )}
    </Loaded>
  );
}
