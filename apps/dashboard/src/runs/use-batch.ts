import { hasEnded } from '@gleaner/contracts/values';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client as api, type CallOutput } from '../api/call.ts';
import { operationQuery } from '../api/queries.ts';
import { useWatched } from '../api/use-watched.ts';

type Batch = CallOutput<'getBatch'>;

const WINDOW_MS = 10_000;

/** The speed of a batch over the last seconds. */
export interface Pace {
  perSecond: number;
  /** Estimated; undefined without progress. */
  leftMs: number | undefined;
}

interface Sample {
  at: number;
  done: number;
}

function doneOf({ counts }: Batch): number {
  return counts.succeeded + counts.failed + counts.cancelled;
}

export function isOver({ status }: Batch): boolean {
  return hasEnded(status);
}

function paceOf(samples: readonly Sample[], batch: Batch): Pace {
  const [first] = samples;
  const last = samples.at(-1);
  if (!first || !last || last.at === first.at) return { perSecond: 0, leftMs: undefined };
  const perSecond = ((last.done - first.done) / (last.at - first.at)) * 1000;
  const left = batch.counts.total - last.done;
  return { perSecond, leftMs: perSecond > 0 ? (left / perSecond) * 1000 : undefined };
}

/** A batch that stays up to date while it runs, through its events. */
export function useBatch(id: string) {
  const client = useQueryClient();
  const options = operationQuery('getBatch', { params: { id } });
  const query = useQuery(options);
  const [samples, setSamples] = useState<Sample[]>([]);
  const isLive = query.data !== undefined && !isOver(query.data);
  useWatched(
    id,
    isLive,
    (signal) => api.batches.watch(id, { signal }),
    (batch) => {
      client.setQueryData(options.queryKey, batch);
      // The side bar shows the balance.
      if (isOver(batch)) void client.invalidateQueries({ queryKey: ['getCredits'] });
      const now = performance.now();
      setSamples((known) => [
        ...known.filter(({ at }) => at > now - WINDOW_MS),
        { at: now, done: doneOf(batch) },
      ]);
      return !isOver(batch);
    },
  );
  return { query, pace: query.data ? paceOf(samples, query.data) : undefined };
}
