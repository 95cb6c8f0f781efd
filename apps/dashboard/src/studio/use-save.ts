import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call, operationQuery, type CallOutput } from '../api/call.ts';
import type { SampleChange } from '../samples/sample-changes.tsx';
import { movePages } from './pages/page-store.ts';
import { keepAsSamples } from './pages/sample-pages.ts';
import type { StudioSearch } from './search.ts';
import type { PagesState } from './use-studio.ts';
import type { Work } from './work/history.ts';

type ParserRecord = CallOutput<'getParser'>;

interface SaveInput {
  accountId: string;
  /** Whose pages they are in this browser. */
  owner: string;
  record: ParserRecord | undefined;
  work: Work;
  pages: PagesState;
  /** What stays in the address: the selected field, and the page that asked for the parser. */
  search: Pick<StudioSearch, 'field' | 'back'>;
  onSaved: (name: string) => void;
}

/** Saves the work as a parser, or as the next version of one, and keeps its pages on the service. */
export function useSave({ accountId, owner, record, work, pages, search, onSaved }: SaveInput) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [saved, setSaved] = useState({
    schema: JSON.stringify(record?.schema ?? { fields: {} }),
    config: JSON.stringify(record?.scrape_config ?? {}),
  });
  const [changes, setChanges] = useState<SampleChange[]>([]);
  const { name, draft, config } = work;
  const save = useMutation({
    mutationFn: async (isForced: boolean) => {
      const body = { name, schema: { ...draft }, scrape_config: config };
      if (!record) return { ...(await call('createParser', { body })), changes: [] };
      const force = isForced ? { force: true } : {};
      return call('updateParser', { params: { id: record.id }, body: { ...body, ...force } });
    },
    onSuccess: async ({ changes: found, ...next }) => {
      setSaved({ schema: JSON.stringify(next.schema), config: JSON.stringify(config) });
      // What the open pages give is on the screen already, unless it had to stay.
      const isOpen = ({ sample }: SampleChange): boolean =>
        pages.pages.some(({ sampleId }) => sampleId === sample);
      setChanges(found.filter((one) => one.expected !== undefined || !isOpen(one)));
      onSaved(next.name);
      client.setQueryData(operationQuery('getParser', { params: { id: next.id } }).queryKey, next);
      await keepAsSamples(next.id, pages.pages, pages.update);
      await client.invalidateQueries({ queryKey: ['listParserSamples'] });
      await client.invalidateQueries({ queryKey: ['listParsers'] });
      if (record) return;
      await movePages(owner, `${accountId}/${next.id}`).catch(() => undefined);
      await navigate({ to: '/parsers/$parserId', params: { parserId: next.id }, search });
    },
  });
  return {
    save,
    isSchemaChanged: JSON.stringify(draft) !== saved.schema,
    isConfigChanged: JSON.stringify(config) !== saved.config,
    changes,
    forgetChanges: () => setChanges([]),
  };
}
