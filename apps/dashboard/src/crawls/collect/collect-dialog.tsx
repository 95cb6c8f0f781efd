import { priceOf } from '@gleaner/contracts/values';
import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange, type CallOutput } from '../../api/call.ts';
import { choicesOf } from '../../parts/choices.ts';
import { plural, shortHost } from '../../format/format.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Choice, textInput } from '../../parts/forms.tsx';
import { Failure } from '../../parts/page.tsx';
import { PlainTable, type PlainColumn } from '../../parts/plain-table.tsx';
import { When } from '../../parts/when.tsx';
import { ParserFilter } from '../../targets/parser-filter.tsx';
import { useProposedSink } from '../../targets/proposed-sink.ts';
import { lackOfSink, NO_SINK, tableNameOf, type SinkChoice } from '../../targets/sink.ts';
import { SinkFields } from '../../targets/sink-fields.tsx';
import { OFTEN, type Often } from '../../watch/watch-draft.ts';
import type { UrlNode } from '../url-tree.ts';
import { countPages } from './addresses.ts';
import { makeCollection, type CollectDraft } from './make-collection.ts';
import { fetchExample, findKept, proposeFields, type ExamplePage, type Proposed } from './read-example.ts';

type Crawl = CallOutput<'getCrawl'>;

const READERS = { proposed: 'Fields found on the page', parser: 'One of my parsers' } as const;
const FIRST = { read: 'Read its pages now', later: 'Wait for the first firing' } as const;

/** Characters of a value that tell it apart from others. */
const SHOWN = 160;

function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

const FIELDS: readonly PlainColumn<[string, unknown]>[] = [
  { header: 'Field', cell: ([name]) => <code>{name}</code> },
  {
    header: 'On this page',
    className: 'anywhere',
    cell: ([, value]) => (value === null ? <span className="soft">nothing</span> : valueText(value)),
  },
];

interface FieldsOfPageProps {
  crawl: Crawl;
  address: string;
  kept: { data?: ExamplePage | null | undefined; error: unknown };
  fields: { data?: Proposed | null | undefined; error: unknown; isPending: boolean };
  fetching: { error: unknown; isPending: boolean; mutate: () => void };
  page: ExamplePage | null | undefined;
}

/** The fields that the engine proposes for a page of the kind; one that is not kept is fetched by a click. */
function FieldsOfPage({ crawl, address, kept, fields, fetching, page }: FieldsOfPageProps) {
  if (kept.error !== null) return <Failure error={kept.error} />;
  if (page === undefined) return <p className="soft">Looking for a page that is kept …</p>;
  if (page === null)
    return (
      <div className="stack tight">
        <p className="soft">
          No page of this kind is kept, so one is read to find its fields:{' '}
          <span className="anywhere">{address}</span>
        </p>
        <div>
          <Button variant="default" loading={fetching.isPending} onClick={fetching.mutate}>
            Read it for {plural(priceOf(crawl.scrape_config), 'credit')}
          </Button>
        </div>
        <Failure error={fetching.error} />
      </div>
    );
  if (fields.error !== null) return <Failure error={fields.error} />;
  if (fields.isPending) return <p className="soft">Looking for fields …</p>;
  if (!fields.data)
    return <p role="status">Nothing on the page repeats or has a name. Choose one of your parsers.</p>;
  const { schema, data } = fields.data;
  const names = Object.keys(schema.fields);
  return (
    <div className="stack tight">
      <PlainTable
        label="Fields"
        columns={FIELDS}
        rows={names.map((name): [string, unknown] => [name, data[name] ?? null])}
        rowKey={([name]) => name}
      />
      <p className="soft small">
        {page.keptUntil === undefined ? 'Read just now: ' : 'Kept by the crawl, so this was free: '}
        <span className="anywhere">{page.url}</span>
      </p>
    </div>
  );
}

/** A page of the kind, kept or fetched, and the fields that it has. */
function useExample(crawl: Crawl, { pattern, examples }: UrlNode) {
  const [address = ''] = examples;
  const kept = useQuery({
    queryKey: ['collect', crawl.id, pattern, 'kept'],
    queryFn: () => findKept(crawl.id, examples),
  });
  const fetching = useMutation({ mutationFn: () => fetchExample(crawl, address) });
  const page = fetching.data ?? kept.data;
  const fields = useQuery({
    queryKey: ['collect', crawl.id, pattern, 'fields', page?.url],
    queryFn: () => (page ? proposeFields(page) : null),
    enabled: page !== null && page !== undefined,
  });
  return { crawl, address, kept, fetching, page, fields };
}

/** A name for what reads these pages: `shop.example product`. */
function nameOf({ pattern, examples }: UrlNode): string {
  const path = pattern.replace(/^https?:\/\/[^/]+/, '').replaceAll(/[/*?]+/g, ' ');
  return `${shortHost(examples[0] ?? '')} ${path}`.trim().slice(0, 100);
}

interface CollectDialogProps {
  crawl: Crawl;
  node: UrlNode;
  onClose: () => void;
}

/** What the form of a collection holds, and what is missing in it. */
function useCollect({ crawl, node }: CollectDialogProps) {
  const example = useExample(crawl, node);
  const [reader, setReader] = useState<keyof typeof READERS>('proposed');
  const [parserId, setParserId] = useState<string>();
  const [name, setName] = useState(() => nameOf(node));
  const [often, setOften] = useState<Often>('0 8 * * *');
  const [first, setFirst] = useState<keyof typeof FIRST>('read');
  const [chosen, setSink] = useState<SinkChoice>();
  const place = useProposedSink('parser:page', undefined);
  const sink = chosen ?? (place && { ...place, table: tableNameOf(name) }) ?? NO_SINK;
  const { schema } = example.fields.data ?? {};
  const saved = parserId === undefined ? undefined : { id: parserId };
  const parser = reader === 'parser' ? saved : schema && { schema };
  const keptUntil = example.kept.data?.keptUntil;
  const lack =
    name.trim() === '' ? 'Name it.' : parser ? lackOfSink(sink) : 'Choose fields, or one of your parsers.';
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const start = keptUntil === undefined ? first : ('kept' as const);
  const rest = { crawl, pattern: node.pattern, name: name.trim(), often, zone, sink, first: start };
  const draft: CollectDraft | undefined = parser && { ...rest, parser };
  const set = { setReader, setParserId, setName, setOften, setFirst, setSink };
  return { ...set, example, reader, parserId, name, often, first, sink, keptUntil, lack, draft };
}

/** One form that makes a collection of a kind of pages: parser, table, cron, and its first rows of what is kept. */
export function CollectDialog(props: CollectDialogProps) {
  const { crawl, node, onClose } = props;
  const navigate = useNavigate();
  const form = useCollect(props);
  const make = useChange(makeCollection, {
    stale: ['listCollections', 'listCrons', 'listParsers', 'listDatabases', 'listBatches'],
    onDone: (collectionId) => navigate({ to: '/collections/$collectionId', params: { collectionId } }),
  });
  const { draft, lack, keptUntil } = form;
  const count = countPages(node);
  return (
    <FormDialog
      title={`A collection of ${node.pattern}`}
      size="lg"
      onClose={onClose}
      sent={{ ...make, mutate: () => draft && make.mutate(draft) }}
      submit="Make the collection"
      isReady={lack === undefined}
      beside={<span className="soft small">{lack}</span>}
    >
      <SegmentedControl
        aria-label="What reads its pages"
        className="start"
        data={choicesOf(READERS)}
        value={form.reader}
        onChange={form.setReader}
      />
      {form.reader === 'proposed' ? (
        <FieldsOfPage {...form.example} />
      ) : (
        <ParserFilter placeholder="Choose one" w={260} value={form.parserId} onChange={form.setParserId} />
      )}
      <TextInput label="Name" {...textInput(form.name, form.setName)} />
      <Choice label="How often" words={OFTEN} value={form.often} onChange={form.setOften} w={260} />
      <SinkFields value={form.sink} onChange={form.setSink} />
      {keptUntil === undefined ? (
        <Choice label="Its first rows" words={FIRST} value={form.first} onChange={form.setFirst} w={260} />
      ) : (
        <p>
          Its first rows are read from the pages that the crawl keeps until <When at={keptUntil} />, for free.
        </p>
      )}
      <p className="soft small">
        It reads the {plural(count, 'page')} of this kind that were found, each time for at most{' '}
        {plural(count * priceOf(crawl.scrape_config), 'credit')}, and keeps what changes. New pages of the
        site join by another map.
      </p>
    </FormDialog>
  );
}
