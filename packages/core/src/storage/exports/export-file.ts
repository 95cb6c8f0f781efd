import type { ExportFormat, StreamAnswer } from '@gleaner/contracts';
import { gzipParts } from './gzip-text.ts';

const MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
};

/** An export as the answer to a request: a file named for what it holds. */
export function exportFile(
  name: string,
  { format, gzip }: { format: ExportFormat; gzip: boolean },
  stream: AsyncIterable<string | Uint8Array>,
): StreamAnswer {
  return gzip
    ? { contentType: 'application/gzip', filename: `${name}.${format}.gz`, stream: gzipParts(stream) }
    : { contentType: MEDIA_TYPES[format], filename: `${name}.${format}`, stream };
}
