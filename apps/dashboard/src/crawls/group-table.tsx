import { Button, NumberInput, Select } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call, operationQuery } from '../api/call.ts';
import { formatNumber, shortUrl } from '../format/format.ts';
import { choicesFrom } from '../parts/choices.ts';
import { Failure } from '../parts/page.tsx';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';
import { useSearched } from '../parts/use-searched.ts';
import { routesOf, type UrlGroup } from './url-groups.ts';

interface ParserSelectProps {
  pattern: string;
  value: string | undefined;
  onChange: (parserId: string | undefined) => void;
}

/** Chooses the parser of a group. */
function ParserSelect({ pattern, value, onChange }: ParserSelectProps) {
  const { query, field } = useSearched(undefined);
  const { data } = useQuery({
    ...operationQuery('listParsers', { query }),
    placeholderData: keepPreviousData,
  });
  return (
    <Select
      aria-label={`Parser of ${pattern}`}
      placeholder="Not read"
      clearable
      w={180}
      data={choicesFrom(data?.parsers)}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      {...field}
    />
  );
}

const COLUMNS: readonly PlainColumn<UrlGroup>[] = [
  { header: 'Pattern', cell: ({ pattern }) => <code>{pattern}</code> },
  { header: 'Addresses', align: 'right', cell: ({ count }) => formatNumber(count) },
  { header: 'Fetched', align: 'right', cell: ({ fetched }) => formatNumber(fetched) },
  {
    header: 'Failed',
    align: 'right',
    cell: ({ failed }) => failed > 0 && <span className="bad-text">{formatNumber(failed)}</span>,
  },
  {
    header: 'Example',
    cell: ({ examples: [url = ''] }) => (
      <a href={url} title={url} target="_blank" rel="noreferrer">
        {shortUrl(url)}
      </a>
    ),
  },
];

/** The kinds of pages of a crawl, by their addresses. */
export function GroupTable({ groups }: { groups: readonly UrlGroup[] }) {
  return (
    <PlainTable label="Kinds of pages" columns={COLUMNS} rows={groups} rowKey={({ pattern }) => pattern} />
  );
}

interface CrawlStartProps {
  /** Where the map began. */
  start: readonly string[];
  name: string | null;
  groups: readonly UrlGroup[];
}

/** The second step of a crawl: which kinds of pages of the map are read, with which parser. */
export function CrawlStart({ start, name, groups }: CrawlStartProps) {
  const navigate = useNavigate();
  const [parsers, setParsers] = useState<Readonly<Record<string, string | undefined>>>({});
  const [pages, setPages] = useState<number | string>(1_000);
  const routes = routesOf(parsers);
  const crawl = useMutation({
    mutationFn: () =>
      call('createCrawl', {
        body: {
          ...(name === null ? {} : { name }),
          start: [...start],
          routes,
          limits: { pages: Number(pages) },
        },
      }),
    onSuccess: ({ id }) => navigate({ to: '/crawls/$runId', params: { runId: id } }),
  });
  const reading: PlainColumn<UrlGroup> = {
    header: 'Read with',
    cell: ({ pattern, examples: [open = ''] }) => (
      <span className="row">
        <ParserSelect
          pattern={pattern}
          value={parsers[pattern]}
          onChange={(parserId) => setParsers({ ...parsers, [pattern]: parserId })}
        />
        <Link to="/parsers/new" search={{ open }}>
          Make one
        </Link>
      </span>
    ),
  };
  return (
    <div className="stack">
      <PlainTable
        label="Kinds of pages"
        columns={[...COLUMNS, reading]}
        rows={groups}
        rowKey={({ pattern }) => pattern}
      />
      <Failure error={crawl.error} />
      <div className="row bottom">
        <NumberInput
          label="Pages at most"
          min={1}
          w={140}
          allowDecimal={false}
          value={pages}
          onChange={setPages}
        />
        <Button
          size="sm"
          disabled={routes.length === 0 || start.length === 0 || Number(pages) < 1}
          loading={crawl.isPending}
          onClick={() => crawl.mutate()}
        >
          Crawl
        </Button>
        {routes.length === 0 && (
          <span className="soft small">Choose a parser for at least one kind of page.</span>
        )}
      </div>
    </div>
  );
}
