import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useEffect, useRef, type ReactNode } from 'react';
import type { CallOutput } from '../api/call.ts';
import { plural, shortUrl } from '../format/format.ts';
import { ReadPages } from '../parts/listed.tsx';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';
import { StudioLink } from '../parts/studio-link.tsx';
import { adviceFor } from './causes.ts';
import styles from './failed-pages.module.css';
import { phaseSpans, Timeline } from './timeline.tsx';

type FailedPage = CallOutput<'getBatchFailures'>['failures'][number] & {
  /** The stage, in a run of a workflow. */
  stage?: string;
};

interface FailedRow extends FailedPage {
  key: string;
}

/** Gives each failure the key that an address names it by: its page, numbered where the page failed several times. */
export function keyFailures(failures: readonly FailedPage[]): FailedRow[] {
  const seen = new Map<string, number>();
  return failures.map((failure) => {
    const name = failure.stage === undefined ? failure.url : `${failure.stage} ${failure.url}`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return { ...failure, key: count === 1 ? name : `${name} ${count}` };
  });
}

/** How the last attempt at a page went, and what to do about it. */
function FailedCourse({ failure, parserId }: { failure: FailedPage; parserId: string | undefined }) {
  const { attempts, detail, phases, url, fetched_by: fetchedBy } = failure;
  const spans = phaseSpans(phases);
  const place = useRef<HTMLDivElement>(null);
  // The address may name a row far below.
  useEffect(() => {
    // It answers with a promise in new browsers, which React would take for a cleanup.
    place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div className={`stack ${styles.opened}`} ref={place}>
      <a href={url} target="_blank" rel="noreferrer" className="anywhere">
        {url}
      </a>
      {detail !== undefined && <strong className="anywhere">{detail}</strong>}
      <span>{adviceFor(failure)}</span>
      {parserId !== undefined && (
        <p>
          <StudioLink parserId={parserId} page={{ open: url }}>
            Open this page in the studio
          </StudioLink>
        </p>
      )}
      <span className="soft small">
        {plural(attempts, 'attempt')} · 0 credits{fetchedBy !== null && ` · read by ${fetchedBy}`}
        {spans.length > 0 && attempts > 1 && ' · the bars show the last attempt'}
        {spans.length === 0 && ' · its phases were not measured'}
      </span>
      {spans.length > 0 && <Timeline spans={spans} />}
    </div>
  );
}

function columnsOf(
  rows: readonly FailedRow[],
  { open, onOpen }: Pick<FailuresProps<never>, 'open' | 'onOpen'>,
): readonly PlainColumn<FailedRow>[] {
  const hasStages = rows.some(({ stage }) => stage !== undefined);
  return [
    ...(hasStages ? [{ header: 'Stage', cell: ({ stage }: FailedRow) => stage }] : []),
    {
      header: 'Page',
      title: ({ url }) => url,
      cell: ({ key, url }) => (
        <button
          type="button"
          className="link"
          aria-expanded={open === key}
          onClick={() => onOpen(open === key ? undefined : key)}
        >
          {shortUrl(url)}
        </button>
      ),
    },
    { header: 'Error', cell: ({ error }) => error },
    { header: 'Detail', className: 'soft', title: ({ detail }) => detail, cell: ({ detail }) => detail },
    { header: 'Attempts', align: 'right', cell: ({ attempts }) => attempts },
  ];
}

/** Rows among which an opened page is looked for. */
const MAX_SEARCHED = 2_000;

export interface FailuresProps<Read> {
  query: UseInfiniteQueryResult<InfiniteData<Read>>;
  /** The failed page that the address names. */
  open: string | undefined;
  onOpen: (key: string | undefined) => void;
  /** The parser that read a page; undefined when something else did. */
  parserOf: (failure: FailedPage) => string | undefined;
  /** The word of the button that reads further ones. */
  more?: string;
  /** The causes, above the pages. */
  children: (failures: readonly FailedPage[]) => ReactNode;
}

/** Why pages failed: the causes, then the pages one by one; each opens to its whole detail and its timeline. */
export function Failures<Read extends { failures: readonly FailedPage[] }>(props: FailuresProps<Read>) {
  const { query, open, onOpen, parserOf, more, children } = props;
  const { hasNextPage, isFetching, fetchNextPage } = query;
  const rows = keyFailures(query.data?.pages.flatMap(({ failures }) => failures) ?? []);
  const isMissing = open !== undefined && !rows.some(({ key }) => key === open);
  const isWanted = isMissing && hasNextPage && !isFetching && rows.length < MAX_SEARCHED;
  useEffect(() => {
    if (isWanted) void fetchNextPage();
  }, [isWanted, fetchNextPage]);
  return (
    <ReadPages
      query={query}
      what="the failures"
      rowsOf={({ failures }) => failures}
      empty="Nothing has failed."
      more={more}
    >
      {(failures) => (
        <>
          {children(failures)}
          <PlainTable
            label="Failed pages"
            rows={rows}
            rowKey={({ key }) => key}
            columns={columnsOf(rows, { open, onOpen })}
            opened={{
              key: open,
              show: (failure) => <FailedCourse failure={failure} parserId={parserOf(failure)} />,
            }}
          />
        </>
      )}
    </ReadPages>
  );
}
