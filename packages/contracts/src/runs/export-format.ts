import { z } from 'zod';
import { queryBoolean, timestampField } from '../fields.ts';
import { created } from '../define-operation.ts';
import { EXPORT_FORMATS, FORMULA_RULES, UNTYPED_EXPORT_FORMATS, type ExportFormat } from '../values/index.ts';

/** How an export is written. */
export const exportFields = {
  format: z.enum(EXPORT_FORMATS).default('ndjson'),
  gzip: queryBoolean
    .default(false)
    .describe('Send the file compressed, as `.gz`. Parquet and xlsx are compressed already.'),
  formulas: z
    .enum(FORMULA_RULES)
    .default('guard')
    .describe(
      'CSV only. `guard`: a text cell that a spreadsheet would run as a formula gets a leading apostrophe. `keep`: cells stay as they are, for programs.',
    ),
} as const;

/** How an export is written that has no Parquet. */
export const untypedExportFields = {
  ...exportFields,
  format: z.enum(UNTYPED_EXPORT_FORMATS).default('ndjson'),
  gzip: queryBoolean
    .default(false)
    .describe('Send the file compressed, as `.gz`. An xlsx is compressed already.'),
} as const;

/** A text of names with commas between them. */
export const columnsField = z.string().max(8000).optional().describe('Only these: `name,price`.');

/** The same fields in a body. */
export const exportBody = {
  format: exportFields.format,
  gzip: z.boolean().default(false).describe('Send the file compressed, as `.gz`.'),
  formulas: exportFields.formulas,
} as const;

/** How long a download link is valid. */
export const EXPORT_LINK_HOURS = 24;

export const exportLinkAnswer = created(
  z.object({
    url: z.string().describe('Anyone with this address downloads the file; it is in no log.'),
    expires_at: timestampField,
  }),
);

/** Refuses a gzip of a file that is compressed, which would make it unreadable for its readers and hardly smaller. */
export function checkExport(
  { format, gzip }: { format: ExportFormat; gzip: boolean },
  context: z.core.$RefinementCtx,
): void {
  if ((format !== 'parquet' && format !== 'xlsx') || !gzip) return;
  context.addIssue({
    code: 'custom',
    path: ['gzip'],
    message: `cannot be combined with ${format}, which is already compressed`,
  });
}

/** The media type of xlsx. */
export const SHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
export const UNTYPED_EXPORT_TYPES = [
  'application/x-ndjson',
  'text/csv',
  'application/gzip',
  SHEET_TYPE,
] as const;
export const EXPORT_TYPES = [...UNTYPED_EXPORT_TYPES, 'application/vnd.apache.parquet'] as const;
