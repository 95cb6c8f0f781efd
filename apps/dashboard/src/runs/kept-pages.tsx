import type { ReparsedPages } from '@gleaner/contracts/values';
import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { call, listQuery, useChange, type CallOutput } from '../api/call.ts';
import { toProblem } from '../api/problem.ts';
import { formatBytes, shortUrl } from '../format/format.ts';
import { ActionButton } from '../parts/buttons.tsx';
import { IconRefresh } from '../parts/icons.ts';
import { ReadPages } from '../parts/listed.tsx';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';
import { Failure } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { StudioLink } from '../parts/studio-link.tsx';
import { parserIdOf } from '../targets/target.ts';

type Batch = CallOutput<'getBatch'>;
type KeptPage = CallOutput<'listPages'>['pages'][number];

/** Makes a kept page a sample of its parser, which lives on after the page has expired. */
function KeepAsSample({ parserId, page }: { parserId: string; page: string }) {
  const keep = useChange(() => call('createParserSample', { params: { id: parserId }, body: { page } }), {
    stale: ['listParserSamples'],
  });
  if (keep.data !== undefined)
    return (
      <Link to="/parsers/$parserId/samples" params={{ parserId }} search={{ sample: keep.data.id }}>
        Pin its values
      </Link>
    );
  return (
    <>
      <Button variant="subtle" size="compact-xs" loading={keep.isPending} onClick={() => keep.mutate()}>
        Keep as a sample
      </Button>
      {keep.error !== null && <span className="bad-text small"> {toProblem(keep.error).message}</span>}
    </>
  );
}

const COLUMNS: readonly PlainColumn<KeptPage>[] = [
  {
    header: 'Why it failed',
    className: ({ error }) => (error === null ? 'soft' : 'bad-text'),
    title: ({ error }) => error ?? undefined,
    cell: ({ error }) => error ?? 'it did not fail',
  },
  { header: 'Fetched', cell: (page) => <When at={page.fetched_at} /> },
  { header: 'Size', align: 'right', cell: (page) => formatBytes(page.size_bytes) },
  { header: 'Kept until', cell: (page) => <When at={page.expires_at} /> },
];

function columnsOf(parserId: string | undefined): readonly PlainColumn<KeptPage>[] {
  return [
    {
      header: 'Page',
      title: ({ url }) => url,
      cell: ({ id, url }) =>
        parserId === undefined ? (
          shortUrl(url)
        ) : (
          <StudioLink parserId={parserId} page={{ kept: id }} title="Open in the studio">
            {shortUrl(url)}
          </StudioLink>
        ),
    },
    ...COLUMNS,
    {
      header: 'Sample',
      isHeaderHidden: true,
      cell: ({ id }) => parserId !== undefined && <KeepAsSample parserId={parserId} page={id} />,
    },
  ];
}

/** Parses kept pages of a batch again with the parser's current version, as a new batch, and opens that. */
export function useReparse(batchId: string) {
  const navigate = useNavigate();
  return useChange(
    (pages: ReparsedPages) => call('reparseBatch', { params: { id: batchId }, body: { pages } }),
    { onDone: ({ id }) => navigate({ to: '/runs/batches/$batchId', params: { batchId: id } }) },
  );
}

/** Parses the kept pages again with the parser's current version, as a new batch. */
function ParseAgain({ batchId }: { batchId: string }) {
  const reparse = useReparse(batchId);
  return (
    <>
      <div className="row wrap">
        <ActionButton
          icon={IconRefresh}
          loading={reparse.isPending && reparse.variables === 'failed'}
          onClick={() => reparse.mutate('failed')}
        >
          Parse the failed pages again, free
        </ActionButton>
        <Button
          variant="default"
          loading={reparse.isPending && reparse.variables === 'all'}
          onClick={() => reparse.mutate('all')}
        >
          Parse all again, free
        </Button>
      </div>
      <Failure error={reparse.error} />
    </>
  );
}

const NO_PAGE = (
  <>
    No pages are kept. For 7 days a run keeps the pages on which its parser fails; <code>keep_pages</code>{' '}
    makes it keep more.
  </>
);

/** The pages that a batch kept: each opens in the studio unchanged, and they can be parsed again free of charge. */
export function KeptPages({ batch: { id, target } }: { batch: Batch }) {
  const query = useInfiniteQuery(listQuery('listPages', { query: { run: id } }));
  const parserId = parserIdOf(target);
  return (
    <ReadPages query={query} what="the kept pages" rowsOf={({ pages }) => pages} empty={NO_PAGE}>
      {(pages) => (
        <>
          <p className="soft small">
            These are the pages as they were fetched. Repair the parser on them in the studio, then parse them
            again with its current version.
          </p>
          {parserId !== undefined && <ParseAgain batchId={id} />}
          <PlainTable
            label="Kept pages, table"
            rows={pages}
            rowKey={(page) => page.id}
            columns={columnsOf(parserId)}
          />
        </>
      )}
    </ReadPages>
  );
}
