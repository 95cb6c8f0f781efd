import type { ScrapeConfig } from '@gleaner/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { call, operationQuery, useChange, type CallOutput } from '../api/call.ts';
import { formatBytes, plural, shortUrl } from '../format/format.ts';
import { ActionButton } from '../parts/buttons.tsx';
import { IconPlus, IconTrash } from '../parts/icons.ts';
import { Empty, Failure, Loaded } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { PlainTable } from '../parts/plain-table.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import type { KeptPage } from '../studio/extraction/protocol.ts';
import { useFetching } from '../studio/fetching/fetch-page.ts';
import { createSample } from '../studio/pages/sample-pages.ts';
import { OpenPage } from '../studio/pages/open-page.tsx';
import { ParserPart } from './parser-part.tsx';
import { SampleFields } from './sample-fields.tsx';

type Sample = CallOutput<'listParserSamples'>['samples'][number];

function nameOf({ url, id }: Pick<Sample, 'url' | 'id'>): string {
  return url === null || url === '' ? id : shortUrl(url);
}

interface SampleTableProps {
  parserId: string;
  samples: readonly Sample[];
  selected: string | undefined;
}

function SampleTable({ parserId, samples, selected }: SampleTableProps) {
  const remove = useChange(
    (sample: string) => call('deleteParserSample', { params: { id: parserId, sample } }),
    { stale: ['listParserSamples'] },
  );
  return (
    <PlainTable
      label="Samples"
      rows={samples}
      rowKey={({ id }) => id}
      isCurrent={({ id }) => id === selected}
      columns={[
        {
          header: 'Page',
          title: ({ url }) => url ?? undefined,
          cell: (one) => (
            <Link to="/parsers/$parserId/samples" params={{ parserId }} search={{ sample: one.id }} replace>
              {nameOf(one)}
            </Link>
          ),
        },
        {
          header: 'Must read',
          className: ({ expected }) => (expected === null ? 'soft' : undefined),
          cell: ({ expected }) =>
            expected === null ? 'nothing is pinned' : plural(Object.keys(expected).length, 'pinned value'),
        },
        { header: 'Size', align: 'right', cell: (sample) => formatBytes(sample.size_bytes) },
        { header: 'Added', cell: (sample) => <When at={sample.created_at} /> },
        {
          header: 'Actions',
          isHeaderHidden: true,
          cell: (sample) => (
            <RowMenu
              name={nameOf(sample)}
              actions={[
                {
                  label: 'Delete',
                  icon: IconTrash,
                  isRed: true,
                  confirm: {
                    title: 'Delete this sample',
                    action: 'Delete sample',
                    run: () => remove.mutateAsync(sample.id),
                    children: 'Versions are no longer tried on it.',
                  },
                },
              ]}
            />
          ),
        },
      ]}
    />
  );
}

/** Pages on which each new version of a parser is tried. */
export function SamplesPage() {
  const { parserId } = useParams({ from: '/app/parsers/$parserId/samples' });
  const { sample: selected } = useSearch({ from: '/app/parsers/$parserId/samples' });
  const navigate = useNavigate({ from: '/parsers/$parserId/samples' });
  const params = { id: parserId };
  const parser = useQuery(operationQuery('getParser', { params }));
  const query = useQuery(operationQuery('listParserSamples', { params }));
  const [isAdding, setAdding] = useState(false);
  const [config, setConfig] = useState<ScrapeConfig | undefined>();
  const add = useChange((page: KeptPage) => createSample(parserId, page, 'current'), {
    stale: ['listParserSamples'],
    onDone: ({ id }) => {
      setAdding(false);
      return navigate({ search: { sample: id }, replace: true });
    },
  });
  const fetching = useFetching(({ page }) => add.mutate(page));
  const isShown = isAdding || query.data?.samples.length === 0;
  return (
    <ParserPart
      parserId={parserId}
      title="Samples"
      actions={
        <ActionButton isMain icon={IconPlus} aria-expanded={isShown} onClick={() => setAdding(!isAdding)}>
          Sample
        </ActionButton>
      }
    >
      <Loaded query={query} what="the samples">
        {({ samples }) => (
          <div className="stack">
            {samples.length === 0 && (
              <Empty title="No samples yet">
                <p>
                  Each new version is tried on the samples before it is saved. Add a page here, in the studio,
                  or from the kept pages of a run.
                </p>
              </Empty>
            )}
            {isShown && (
              <OpenPage
                fetching={fetching}
                config={config ?? parser.data?.scrape_config ?? {}}
                onConfig={setConfig}
                onPasted={add.mutate}
              />
            )}
            {add.isPending && <p className="soft">Saving the page …</p>}
            <Failure error={add.error} />
            {samples.length > 0 && <SampleTable parserId={parserId} samples={samples} selected={selected} />}
            {selected !== undefined && samples.some(({ id }) => id === selected) && (
              <SampleFields key={selected} parserId={parserId} sampleId={selected} />
            )}
          </div>
        )}
      </Loaded>
    </ParserPart>
  );
}
