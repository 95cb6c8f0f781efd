import type { ReparsedPages } from '@gleaner/contracts/values';
import { useNavigate } from '@tanstack/react-router';
import { call, useChange } from '../api/call.ts';

/** Parses kept pages of a batch again with the parser's current version, as a new batch, and opens that. */
export function useReparse(batchId: string) {
  const navigate = useNavigate();
  return useChange(
    (pages: ReparsedPages) => call('reparseBatch', { params: { id: batchId }, body: { pages } }),
    { onDone: ({ id }) => navigate({ to: '/runs/batches/$batchId', params: { batchId: id } }) },
  );
}
