import type { ExportFormat } from '@gleaner/contracts/values';

export const FORMAT_WORDS = {
  csv: 'CSV, for spreadsheets',
  ndjson: 'NDJSON, a JSON object a line',
  parquet: 'Parquet, for data tools',
} satisfies Record<ExportFormat, string>;
