import { z } from 'zod';
import { queryBoolean } from '../fields.ts';
import { EXPORT_FORMATS, FORMULA_RULES, TEXT_EXPORT_FORMATS, type ExportFormat } from '../values/index.ts';

/** How an export is written. */
export const exportFields = {
  format: z.enum(EXPORT_FORMATS).default('ndjson'),
  gzip: queryBoolean
    .default(false)
    .describe('Send the file compressed, as `.gz`. Parquet is compressed already.'),
  formulas: z
    .enum(FORMULA_RULES)
    .default('guard')
    .describe(
      'CSV only. `guard`: a text cell that a spreadsheet would run as a formula gets a leading apostrophe. `keep`: cells stay as they are, for programs.',
    ),
} as const;

/** How an export is written that has no Parquet. */
export const textExportFields = {
  ...exportFields,
  format: z.enum(TEXT_EXPORT_FORMATS).default('ndjson'),
  gzip: queryBoolean.default(false).describe('Send the file compressed, as `.gz`.'),
} as const;

/** Refuses a gzip of a Parquet file, which would make it unreadable for its readers and hardly smaller. */
export function checkExport(
  { format, gzip }: { format: ExportFormat; gzip: boolean },
  context: z.core.$RefinementCtx,
): void {
  if (format !== 'parquet' || !gzip) return;
  context.addIssue({
    code: 'custom',
    path: ['gzip'],
    message: 'cannot be combined with parquet, which is already compressed',
  });
}

export const TEXT_EXPORT_TYPES = ['application/x-ndjson', 'text/csv', 'application/gzip'] as const;
export const EXPORT_TYPES = [...TEXT_EXPORT_TYPES, 'application/vnd.apache.parquet'] as const;
