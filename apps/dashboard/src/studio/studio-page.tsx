import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { operationQuery, sessionQuery } from '../api/call.ts';
import { Loaded, Page } from '../parts/page.tsx';
import type { ParserRecord } from './saving.ts';
import type { StudioSearch } from './search.ts';
import { Studio } from './studio.tsx';
import { createDraftId } from './work/unsaved.ts';

interface OpenedProps {
  from: '/parsers/new' | '/parsers/$parserId';
  record: ParserRecord | undefined;
}

/** The studio of the account that is signed in, with its state in the address. */
function Opened({ from, record }: OpenedProps) {
  const search = useSearch({ from: `/app${from}` });
  const navigate = useNavigate({ from });
  const session = useQuery(sessionQuery);
  const onSearch = useCallback(
    (change: Partial<StudioSearch>) =>
      void navigate({ search: (known: StudioSearch) => ({ ...known, ...change }), replace: true }),
    [navigate],
  );
  return (
    <Loaded query={session} what="the session">
      {({ account }) => <Studio accountId={account.id} record={record} search={search} onSearch={onSearch} />}
    </Loaded>
  );
}

/** A parser that isn't saved yet: an empty one, unless the address names one that was begun. */
export function NewParserPage() {
  const { draft } = useSearch({ from: '/app/parsers/new' });
  if (draft !== undefined) return <Opened key={draft} from="/parsers/new" record={undefined} />;
  return (
    <Navigate
      from="/parsers/new"
      search={(known: StudioSearch) => ({ ...known, draft: createDraftId() })}
      state={(known) => known}
      replace
    />
  );
}

/** A saved parser in the studio. */
export function ParserPage() {
  const { parserId } = useParams({ from: '/app/parsers/$parserId' });
  const parser = useQuery({
    ...operationQuery('getParser', { params: { id: parserId } }),
    refetchOnWindowFocus: false,
  });
  const { data } = parser;
  if (data !== undefined) return <Opened key={data.id} from="/parsers/$parserId" record={data} />;
  return (
    <Page title="Parser" crumbs={[<Link to="/parsers">Parsers</Link>]}>
      <Loaded query={parser} what="the parser">
        {() => null}
      </Loaded>
    </Page>
  );
}
