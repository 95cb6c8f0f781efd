import { ParserCrumbs } from './parser-crumbs.tsx';
import { Button, Checkbox } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { call, type CallOutput } from '../api/call.ts';
import { operationQuery } from '../api/queries.ts';
import { formatBytes, plural } from '../format/number.ts';
import { cellText, shortUrl } from '../format/shorten.ts';
import { Confirm } from '../parts/confirm.tsx';
import { IconPlus, IconTrash } from '../parts/icons.ts';
import { Page } from '../parts/page.tsx';
import { Empty, Failure, Loaded } from '../parts/states.tsx';
import { Status, When } from '../parts/values.tsx';
import { OpenPage } from '../studio/pages/open-page.tsx';

type Sample = CallOutput<'listParserSamples'>['samples'][number];

function nameOf({ url, id }: Pick<Sample, 'url' | 'id'>): string {
  return url === null || url === '' ? id : shortUrl(url);
}

/** The fields of a sample: what the current version reads, and which values are pinned. */
function SampleFields({ parserId, sampleId }: { parserId: string; sampleId: string }) {
  const client = useQueryClient();
  const params = { id: parserId, sample: sampleId };
  const query = useQuery(operationQuery('getParserSample', { params }));
  /** The pins that the boxes show until the server has answered. */
  const [asked, setAsked] = useState<Record<string, unknown> | undefined>();
  const pin = useMutation({
    mutationFn: (expected: 'current' | Record<string, unknown> | null) =>
      call('updateParserSample', { params, body: { expected } }),
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: ['getParserSample'] });
      await client.invalidateQueries({ queryKey: ['listParserSamples'] });
    },
  });
  return (
    <section className="section stack" aria-label="Values of the sample">
      <Loaded query={query} what="the sample">
        {({ read, expected }) => {
          const pinned = asked ?? expected ?? {};
          const names = [...new Set([...Object.keys(read), ...Object.keys(pinned)])];
          const change = (name: string, isPinned: boolean): void => {
            const { [name]: _, ...others } = pinned;
            const next = isPinned ? { ...pinned, [name]: read[name] ?? null } : others;
            // The box changes within the event; otherwise React would set it back until the mutation is under way.
            setAsked(next);
            pin.mutate(Object.keys(next).length === 0 ? null : next, {
              onSettled: () => setAsked(undefined),
            });
          };
          return (
            <>
              <div className="row wrap">
                <h2 className="grow">What it reads, and what it must read</h2>
                <Button variant="default" loading={pin.isPending} onClick={() => pin.mutate('current')}>
                  Pin all as they are
                </Button>
                <Button variant="default" disabled={expected === null} onClick={() => pin.mutate(null)}>
                  Pin none
                </Button>
              </div>
              <p className="soft small">
                A version that reads a pinned value differently is refused, unless you save it all the same.
              </p>
              {pin.error !== null && <Failure error={pin.error} />}
              <div className="scroll-x" tabIndex={0} role="region" aria-label="Values, table">
                <table className="plain">
                  <thead>
                    <tr>
                      <th scope="col">Field</th>
                      <th scope="col">Reads now</th>
                      <th scope="col">Pinned</th>
                      <th scope="col">Expected</th>
                    </tr>
                  </thead>
                  <tbody>
                    {names.map((name) => {
                      const isPinned = Object.hasOwn(pinned, name);
                      const text = cellText(read[name]);
                      const isSame = JSON.stringify(read[name] ?? null) === JSON.stringify(pinned[name]);
                      return (
                        <tr key={name}>
                          <td>{name}</td>
                          <td title={text}>{text === '' ? <span className="soft">nothing</span> : text}</td>
                          <td>
                            <Checkbox
                              aria-label={`Pin ${name}`}
                              checked={isPinned}
                              disabled={pin.isPending}
                              onChange={(event) => change(name, event.currentTarget.checked)}
                            />
                          </td>
                          <td title={cellText(pinned[name])}>
                            {!isPinned ? (
                              <span className="soft">anything</span>
                            ) : isSame ? (
                              <Status status="succeeded" word="as it reads" />
                            ) : (
                              <span className="bad-text">{cellText(pinned[name]) || 'nothing'}</span>
                            )}
                          </td>
                        </tr>
                      );
                    })}
                  </tbody>
                </table>
              </div>
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

/** Pages on which each new version of a parser is tried. */
export function SamplesPage() {
  const { parserId } = useParams({ from: '/app/parsers/$parserId/samples' });
  const { sample: selected } = useSearch({ from: '/app/parsers/$parserId/samples' });
  const navigate = useNavigate({ from: '/parsers/$parserId/samples' });
  const client = useQueryClient();
  const params = { id: parserId };
  const parser = useQuery(operationQuery('getParser', { params }));
  const query = useQuery(operationQuery('listParserSamples', { params }));
  const [isAdding, setAdding] = useState(false);
  const [doomed, setDoomed] = useState<Sample | undefined>();
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['listParserSamples'] });
  const select = (sample: string | undefined): void => void navigate({ search: { sample }, replace: true });
  const add = useMutation({
    mutationFn: ({ html, url }: { html: string; url: string }) =>
      call('createParserSample', {
        params,
        body: { html, expected: 'current', ...(url === '' ? {} : { url }) },
      }),
    onSuccess: async ({ id }) => {
      setAdding(false);
      await refresh();
      select(id);
    },
  });
  const isShown = isAdding || query.data?.samples.length === 0;
  return (
    <Page
      title="Samples"
      crumbs={<ParserCrumbs parserId={parserId} name={parser.data?.name} />}
      actions={
        <Button
          leftSection={<IconPlus size={14} />}
          aria-expanded={isShown}
          onClick={() => setAdding(!isAdding)}
        >
          Sample
        </Button>
      }
      padded
    >
      <Loaded query={query} what="the samples">
        {({ samples }) => (
          <div className="stack">
            {samples.length === 0 && (
              <Empty title="No page is kept yet">
                <p>
                  Each new version is tried on the samples before it is saved. Add a page here, in the studio,
                  or from the kept pages of a run.
                </p>
              </Empty>
            )}
            {isShown && <OpenPage onOpened={({ html, url }) => add.mutate({ html, url })} />}
            {add.isPending && <p className="soft">Keeping the page …</p>}
            {add.error !== null && <Failure error={add.error} />}
            {samples.length > 0 && (
              <div className="scroll-x" tabIndex={0} role="region" aria-label="Samples">
                <table className="plain">
                  <thead>
                    <tr>
                      <th scope="col">Page</th>
                      <th scope="col">Must read</th>
                      <th scope="col" className="num">
                        Size
                      </th>
                      <th scope="col">Added</th>
                      <th scope="col">
                        <span className="visually-hidden">Delete</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {samples.map((sample) => (
                      <tr key={sample.id} aria-current={sample.id === selected}>
                        <td title={sample.url ?? undefined}>
                          <Link
                            to="/parsers/$parserId/samples"
                            params={{ parserId }}
                            search={{ sample: sample.id }}
                            replace
                          >
                            {nameOf(sample)}
                          </Link>
                        </td>
                        <td className={sample.expected === null ? 'soft' : ''}>
                          {sample.expected === null
                            ? 'anything: it shows what changes'
                            : plural(Object.keys(sample.expected).length, 'pinned value')}
                        </td>
                        <td className="num">{formatBytes(sample.size_bytes)}</td>
                        <td>
                          <When at={sample.created_at} />
                        </td>
                        <td>
                          <Button
                            variant="subtle"
                            size="compact-xs"
                            aria-label={`Delete ${nameOf(sample)}`}
                            onClick={() => setDoomed(sample)}
                          >
                            <IconTrash size={14} />
                          </Button>
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )}
            {samples.some(({ id }) => id === selected) && selected !== undefined && (
              <SampleFields key={selected} parserId={parserId} sampleId={selected} />
            )}
          </div>
        )}
      </Loaded>
      <Confirm
        opened={doomed !== undefined}
        onClose={() => setDoomed(undefined)}
        title="Delete this sample"
        action="Delete sample"
        run={async () => {
          if (doomed) await call('deleteParserSample', { params: { ...params, sample: doomed.id } });
          await refresh();
        }}
      >
        Versions are no longer tried on it.
      </Confirm>
    </Page>
  );
}
