import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, type ReactNode } from 'react';
import type { CallOutput } from '../api/call.ts';
import { plural } from '../format/number.ts';
import { shortUrl } from '../format/shorten.ts';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';
import { adviceFor } from './causes.ts';
import { phaseSpans } from './task-phases.ts';
import { Timeline } from './timeline.tsx';

type FailedPage = CallOutput<'getBatchFailures'>['failures'][number] & {
  /** Of a run of a workflow. */
  stage?: string;
};

interface FailedRow extends FailedPage {
  key: string;
}

/** The page itself, and its number where the same page failed several times: the key of a row in the address. */
function keyed(failures: readonly FailedPage[]): FailedRow[] {
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
  const { attempts, detail, error, phases, url } = failure;
  const spans = phaseSpans(phases);
  const place = useRef<HTMLDivElement>(null);
  // The address may name a row far below.
  useEffect(() => {
    // It answers with a promise in new browsers, which React would take for a cleanup.
    void place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div className="stack opened" ref={place}>
      <a href={url} target="_blank" rel="noreferrer" className="anywhere">
        {url}
      </a>
      {detail !== undefined && <strong className="anywhere">{detail}</strong>}
      <span>{adviceFor(error, detail)}</span>
      {parserId !== undefined && (
        <span className="row wrap">
          <Link to="/parsers/$parserId" params={{ parserId }} search={{ open: url }}>
            Open this page in the studio
          </Link>
          <span className="soft small">fetches it once more, for 1 credit</span>
        </span>
      )}
      <span className="soft small">
        {plural(attempts, 'attempt')} · 0 credits
        {spans.length > 0 && attempts > 1 && ' · the bars show the last attempt'}
        {spans.length === 0 && ' · how long its phases took was not measured'}
      </span>
      {spans.length > 0 && <Timeline spans={spans} />}
    </div>
  );
}

interface FailedPagesProps {
  failures: readonly FailedPage[];
  /** The row that the address names. */
  open: string | undefined;
  onOpen: (key: string | undefined) => void;
  /** The parser that read a page; undefined when something else did. */
  parserOf: (failure: FailedPage) => string | undefined;
}

function columnsOf(
  hasStages: boolean,
  toggle: (row: FailedRow) => ReactNode,
): readonly PlainColumn<FailedRow>[] {
  return [
    ...(hasStages ? [{ header: 'Stage', cell: ({ stage }: FailedRow) => stage }] : []),
    { header: 'Page', title: ({ url }) => url, cell: toggle },
    { header: 'Error', cell: ({ error }) => error },
    { header: 'Detail', className: 'soft', title: ({ detail }) => detail, cell: ({ detail }) => detail },
    { header: 'Attempts', align: 'right', cell: ({ attempts }) => attempts },
  ];
}

/** Failed pages one by one; each opens to its whole detail and its timeline. */
export function FailedPages({ failures, open, onOpen, parserOf }: FailedPagesProps) {
  const rows = useMemo(() => keyed(failures), [failures]);
  const hasStages = rows.some(({ stage }) => stage !== undefined);
  return (
    <PlainTable
      label="Failed pages"
      rows={rows}
      rowKey={({ key }) => key}
      columns={columnsOf(hasStages, ({ key, url }) => (
        <button
          type="button"
          className="link"
          aria-expanded={open === key}
          onClick={() => onOpen(open === key ? undefined : key)}
        >
          {shortUrl(url)}
        </button>
      ))}
      opened={{
        key: open,
        show: (failure) => <FailedCourse failure={failure} parserId={parserOf(failure)} />,
      }}
    />
  );
}

/** Reads further pages of a list until the row that the address names is there. */
export function useReadUntilOpen(
  failures: readonly FailedPage[],
  open: string | undefined,
  read: { hasNextPage: boolean; isFetching: boolean; fetchNextPage: () => unknown },
): void {
  const { hasNextPage, isFetching, fetchNextPage } = read;
  const isMissing = open !== undefined && !keyed(failures).some(({ key }) => key === open);
  const isWanted = isMissing && hasNextPage && !isFetching && failures.length < MAX_SEARCHED;
  useEffect(() => {
    if (isWanted) fetchNextPage();
  }, [isWanted, fetchNextPage]);
}

/** Rows among which an opened page is looked for. */
const MAX_SEARCHED = 2_000;
