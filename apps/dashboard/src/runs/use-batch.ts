import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client as api } from '../api/call.ts';
import { operationQuery } from '../api/queries.ts';
import { useWatched } from '../api/use-watched.ts';
import { addSample, doneOf, type PaceSample } from './pace.ts';
import { isLive } from './run-state.ts';

/** A batch that stays up to date while it runs, through its events. */
export function useBatch(id: string) {
  const client = useQueryClient();
  const options = operationQuery('getBatch', { params: { id } });
  const query = useQuery(options);
  const [samples, setSamples] = useState<readonly PaceSample[]>([]);
  useWatched(
    id,
    query.data !== undefined && isLive(query.data),
    (signal) => api.batches.watch(id, { signal }),
    (batch) => {
      client.setQueryData(options.queryKey, batch);
      // The side bar shows the balance.
      if (!isLive(batch)) void client.invalidateQueries({ queryKey: ['getCredits'] });
      setSamples((known) => addSample(known, { at: performance.now(), done: doneOf(batch) }));
      return isLive(batch);
    },
  );
  return { query, samples };
}
