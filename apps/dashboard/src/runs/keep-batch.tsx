import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, operationQuery, type CallOutput } from '../api/call.ts';
import { toProblem } from '../api/problem.ts';
import { formatNumber } from '../format/format.ts';
import { OpenButton } from '../parts/buttons.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { IconDatabase } from '../parts/icons.ts';
import { madeSink, useProposedSink } from '../targets/proposed-sink.ts';
import { SinkFields } from '../targets/sink-fields.tsx';
import { lackOfSink, NO_SINK, sinkOfChoice, type SinkChoice } from '../targets/sink.ts';
import { TableLink } from '../targets/table-link.tsx';

type Batch = CallOutput<'getBatch'>;

const READ_MS = 2_000;

function useKeep(id: string) {
  return useQuery({
    ...operationQuery('getBatchKeep', { params: { id } }),
    retry: false,
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? READ_MS : false),
  });
}

function targetKey({ target }: Batch): string {
  return target.type === 'parser' ? `parser:${target.parserId}` : `api:${target.id}`;
}

function KeepDialog({ batch, onClose }: { batch: Batch; onClose: () => void }) {
  const client = useQueryClient();
  const proposed = useProposedSink(targetKey(batch), undefined);
  const [chosen, setChosen] = useState<SinkChoice>();
  const choice = chosen ?? proposed ?? NO_SINK;
  const keep = useMutation({
    mutationFn: async () => {
      const made = await madeSink({ ...choice, onDrift: undefined });
      // What was made is not made again when the call is refused.
      setChosen(made);
      const sink = sinkOfChoice(made);
      if (sink === undefined) throw new Error('no database is chosen');
      return call('keepBatch', { params: { id: batch.id }, body: { sink } });
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['getBatchKeep'] });
      onClose();
    },
  });
  return (
    <FormDialog
      title="Keep the results as a table"
      onClose={onClose}
      sent={keep}
      submit="Keep"
      isReady={lackOfSink(choice) === undefined}
    >
      <SinkFields value={choice} onChange={setChosen} />
    </FormDialog>
  );
}

/** Offers to keep the results of a batch without a table as one, while they are there. */
export function KeepBatch({ batch }: { batch: Batch }) {
  const kept = useKeep(batch.id);
  const isOffered = kept.isSuccess ? kept.data.status === 'failed' : toProblem(kept.error).status === 404;
  if (!isOffered) return null;
  return (
    <OpenButton icon={IconDatabase} isSmall dialog={(close) => <KeepDialog batch={batch} onClose={close} />}>
      Keep as a table
    </OpenButton>
  );
}

/** Where the results are kept, beside the batch; nothing when they are not. */
export function KeptAs({ id }: { id: string }) {
  const { data } = useKeep(id);
  if (data === undefined) return null;
  return (
    <>
      {' · '}
      <TableLink sink={{ database: data.database, table: data.table }} />
      {data.status === 'running' && `, ${formatNumber(data.results)} so far`}
      {data.refused > 0 && `, ${formatNumber(data.refused)} refused`}
      {data.status === 'failed' && <span className="bad-text">: {data.detail}</span>}
    </>
  );
}
