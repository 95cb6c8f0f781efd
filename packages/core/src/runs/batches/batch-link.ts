import type { Perform } from '../../platform/context.ts';
import { createExportLink } from '../../storage/exports/export-links.ts';
import { findReadableBatch } from './batch-results.ts';

/** @throws AppError not_found, batch_writes_to_database */
export const createBatchLink: Perform<'createBatchLink'> = async (ctx, { params, body }) => {
  await findReadableBatch(ctx, params.id);
  return createExportLink(ctx, { operation: 'exportBatch', params, query: body });
};
