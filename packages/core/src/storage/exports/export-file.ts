import { SHEET_TYPE, type ExportFormat, type StreamAnswer } from '@gleaner/contracts';
import { createGzip } from 'node:zlib';
import { columnKind } from '../columns/columns.ts';

/** Compresses a stream. Reads the next part of the source after the reader has taken the output of the last one. */
async function* gzipParts(
  source: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const gzip = createGzip();
  const ready: Buffer[] = [];
  gzip.on('data', (part: Buffer) => ready.push(part));
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  gzip.once('end', resolve).once('error', reject);
  ended.catch(() => undefined);
  try {
    for await (const part of source) {
      await new Promise<void>((done, fail) => {
        gzip.write(part, (error) => (error ? fail(error) : done()));
      });
      if (ready.length > 0) yield Buffer.concat(ready.splice(0));
    }
    gzip.end();
    await ended;
    yield Buffer.concat(ready);
  } finally {
    gzip.destroy();
  }
}

/** Characters that start a formula in a spreadsheet, including full-width forms. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u;
const PLAIN_NUMBER = /^[+-]?(\d+([.,]\d+)*|[.,]\d+)(e[+-]?\d+)?$/i;

/** Protects a text cell from running as a formula by a leading apostrophe. Plain numbers stay unchanged. */
export function guardFormula(text: string): string {
  return FORMULA.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
}

/** A value as a CSV cell; objects and lists as JSON. */
export function toCell(value: unknown, guard: (text: string) => string = guardFormula): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return guard(value);
  return JSON.stringify(value);
}

/** A cell's text form for CSV. Only text, JSON and unknown types can contain a formula. */
export function toCsvCell(text: string | null, type: string): string | null {
  const kind = columnKind(type);
  const isFree = kind === 'text' || kind === 'jsonb' || kind === 'texts' || kind === 'other';
  return text === null || !isFree ? text : guardFormula(text);
}

const MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
  xlsx: SHEET_TYPE,
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

/** The blocks of an export in another form, after a head. */
export async function* writeBlocks<B, T>(
  blocks: AsyncIterable<B>,
  write: (block: B) => T,
  head?: T,
): AsyncGenerator<T, void, undefined> {
  if (head !== undefined) yield head;
  for await (const block of blocks) yield write(block);
}
