import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call, operationQuery, useChange } from '../api/call.ts';
import type { SampleChange } from '../samples/sample-changes.tsx';
import type { KeptPage } from './extraction/protocol.ts';
import { movePages } from './pages/page-store.ts';
import { createSample } from './pages/sample-pages.ts';
import { isOther, nameApart, SavedMeanwhile, type ParserRecord } from './saving.ts';
import type { StudioSearch } from './search.ts';
import type { PagesState } from './use-studio.ts';
import type { Work } from './work/history.ts';

/** The API keeps no larger page as a sample. */
const MAX_SAMPLE_LENGTH = 4 * 1024 * 1024;

interface SaveInput {
  accountId: string;
  /** Whose pages they are in this browser. */
  owner: string;
  record: ParserRecord | undefined;
  work: Work;
  pages: PagesState;
  search: StudioSearch;
  onSaved: (name: string) => void;
  /** Puts a saved version in place of the work. */
  onTaken: (record: ParserRecord) => void;
}

interface Saving {
  /** In spite of values that break on samples. */
  force?: boolean;
  /** In place of this version, which was saved meanwhile. */
  over?: number;
}

function textsOf(record: Pick<ParserRecord, 'schema' | 'scrape_config'> | undefined) {
  return {
    schema: JSON.stringify(record?.schema ?? { fields: {} }),
    config: JSON.stringify(record?.scrape_config ?? {}),
  };
}

/** Saves the work as a parser, or as the next version of one, and keeps its pages on the service. */
export function useSave({ accountId, owner, record, work, pages, search, onSaved, onTaken }: SaveInput) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [saved, setSaved] = useState(() => textsOf(record));
  /** The version that the work began with: the record may be a later one. */
  const [base, setBase] = useState(record);
  const [changes, setChanges] = useState<SampleChange[]>([]);
  const { name, draft, config } = work;
  /** Keeps the pages on the service, so that they are there in every browser. */
  const keepPages = async (parserId: string): Promise<void> => {
    for (const page of pages.pages) {
      if (page.sampleId !== undefined || page.html.length > MAX_SAMPLE_LENGTH) continue;
      // Without it the page is in this browser alone; a parser has 50 at most.
      const sample = await createSample(parserId, page).catch(() => undefined);
      if (sample !== undefined) await pages.update({ ...page, sampleId: sample.id });
    }
  };
  const save = useMutation({
    mutationFn: async ({ force, over }: Saving) => {
      const body = { name, schema: { ...draft }, scrape_config: config };
      if (!record) {
        const { parsers } = await call('listParsers', { query: { search: name, limit: 50 } });
        const apart = nameApart(
          name,
          parsers.map((one) => one.name),
        );
        return { ...(await call('createParser', { body: { ...body, name: apart } })), changes: [] };
      }
      const current = await call('getParser', { params: { id: record.id } });
      if (base && isOther(base, current) && over !== current.version) throw new SavedMeanwhile(current);
      return call('updateParser', { params: { id: record.id }, body: { ...body, ...(force && { force }) } });
    },
    onSuccess: async ({ changes: found, ...next }) => {
      setSaved({ schema: JSON.stringify(next.schema), config: JSON.stringify(config) });
      setBase(next);
      // What the open pages give is on the screen already, unless it had to stay.
      const isOpen = ({ sample }: SampleChange): boolean =>
        pages.pages.some(({ sampleId }) => sampleId === sample);
      setChanges(found.filter((one) => one.expected !== undefined || !isOpen(one)));
      onSaved(next.name);
      client.setQueryData(operationQuery('getParser', { params: { id: next.id } }).queryKey, next);
      await keepPages(next.id);
      await client.invalidateQueries({ queryKey: ['listParserSamples'] });
      await client.invalidateQueries({ queryKey: ['listParsers'] });
      if (record) return;
      await movePages(owner, `${accountId}/${next.id}`).catch(() => undefined);
      // The selected field stays in the address, and the page that asked for the parser.
      const { field, back } = search;
      await navigate({
        to: '/parsers/$parserId',
        params: { parserId: next.id },
        search: { field, back },
      });
    },
  });
  return {
    save,
    take: (current: ParserRecord): void => {
      setSaved(textsOf(current));
      setBase(current);
      client.setQueryData(operationQuery('getParser', { params: { id: current.id } }).queryKey, current);
      onTaken(current);
      save.reset();
    },
    isSchemaChanged: JSON.stringify(draft) !== saved.schema,
    isConfigChanged: JSON.stringify(config) !== saved.config,
    changes,
    forgetChanges: () => setChanges([]),
  };
}

/** Keeps a page of the studio as a sample, with all values pinned as the saved version reads them. */
export function useKeepSample(id: string, onKept: (page: KeptPage) => Promise<void>) {
  return useChange(
    async (page: KeptPage) => {
      const { sampleId: sample } = page;
      const kept = await (sample === undefined
        ? createSample(id, page, 'current')
        : call('updateParserSample', { params: { id, sample }, body: { expected: 'current' } }));
      await onKept({ ...page, sampleId: kept.id });
      return kept;
    },
    { stale: ['listParserSamples'] },
  );
}
