import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call, type CallOutput } from '../api/call.ts';
import { operationQuery } from '../api/queries.ts';
import type { SampleChange } from '../samples/sample-changes.tsx';
import { movePages } from './pages/page-store.ts';
import type { Draft } from './schema/draft.ts';

interface SaveInput {
  accountId: string;
  record: CallOutput<'getParser'> | undefined;
  name: string;
  draft: Draft;
  /** The selected field in the address, which stays. */
  field: string | undefined;
  onSaved: (name: string) => void;
}

/** Saves the draft as a parser, or as the next version of one. */
export function useSave({ accountId, record, name, draft, field, onSaved }: SaveInput) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [saved, setSaved] = useState(JSON.stringify(record?.schema ?? { fields: {} }));
  const [changes, setChanges] = useState<SampleChange[]>([]);
  const save = useMutation({
    mutationFn: async (isForced: boolean) => {
      const body = { name, schema: { ...draft } };
      if (!record) return { ...(await call('createParser', { body })), changes: [] };
      const force = isForced ? { force: true } : {};
      return call('updateParser', { params: { id: record.id }, body: { ...body, ...force } });
    },
    onSuccess: async ({ changes: found, ...next }) => {
      setSaved(JSON.stringify(next.schema));
      setChanges(found);
      onSaved(next.name);
      client.setQueryData(operationQuery('getParser', { params: { id: next.id } }).queryKey, next);
      await client.invalidateQueries({ queryKey: ['listParsers'] });
      if (record) return;
      await movePages(`${accountId}/new`, `${accountId}/${next.id}`).catch(() => undefined);
      await navigate({ to: '/parsers/$parserId', params: { parserId: next.id }, search: { field } });
    },
  });
  return {
    save,
    isSchemaChanged: JSON.stringify(draft) !== saved,
    changes,
    forgetChanges: () => setChanges([]),
  };
}
