import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client as api } from '../api/call.ts';
import { operationQuery } from '../api/queries.ts';
import { useFollowed } from '../api/use-followed.ts';
import { addSample, doneOf, type PaceSample } from './pace.ts';
import { isLive } from './run-state.ts';

/** A batch that stays up to date while it runs, through its events. */
export function useBatch(id: string) {
  const client = useQueryClient();
  const options = operationQuery('getBatch', { params: { id } });
  const query = useQuery(options);
  const [samples, setSamples] = useState<readonly PaceSample[]>([]);
  useFollowed(query.data, api.batches.waitFor, (batch) => {
    client.setQueryData(options.queryKey, batch);
    // The side bar shows the balance.
    if (!isLive(batch)) void client.invalidateQueries({ queryKey: ['getCredits'] });
    setSamples((known) => addSample(known, { at: performance.now(), done: doneOf(batch) }));
  });
  return { query, samples };
}
