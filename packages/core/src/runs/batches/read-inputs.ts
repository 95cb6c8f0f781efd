import { AppError, parseExactJson, shortenText } from '@gleaner/contracts';
import { parse } from 'csv-parse';
import { Readable } from 'node:stream';
import { ARCHIVE_MARK } from '../../storage/sheets/sheet-limits.ts';
import { findJsonExcess } from '../../platform/json/check-json-size.ts';
import type { Input, InputBlock } from '../submission/run-inputs.ts';
import { decodeText } from './decode-text.ts';
import { readCsvHeader } from './input-columns.ts';
import { readLines } from './read-lines.ts';

const MAX_RECORD_BYTES = 256 * 1024;
const BLOCK = 500;

const NOT_JSON = 'is not JSON';
const SEVERAL = 'contains a tab or a carriage return; each line is one input and ends with a line feed';

/** A line of NDJSON: a JSON value, or a bare URL. */
function readLine(line: string, at: number): Input {
  const first = line.charCodeAt(0);
  // Most lines of large files are plain strings, which need no JSON parser.
  if (first === 0x22 && line.length > 1 && line.endsWith('"') && !line.includes('\\')) {
    const inner = line.slice(1, -1);
    return inner.includes('"') ? { value: line, at, fault: NOT_JSON } : { value: inner, at };
  }
  if (first !== 0x22 && first !== 0x7b) {
    // A URL parser drops these characters, so several inputs or columns would become one URL.
    return /[\t\r]/.test(line) ? { value: line, at, fault: SEVERAL } : { value: line, at };
  }
  const excess = findJsonExcess(line);
  if (excess !== undefined) return { value: line, at, fault: excess };
  try {
    return { value: parseExactJson(line), at };
  } catch {
    return { value: line, at, fault: NOT_JSON };
  }
}

/** Names of columns with separators between them, as the first line of a CSV has. */
const HEADER = /^"?[a-z_][\w "-]*(?:[,;\t]"?[a-z_][\w "-]*)+$/i;

/** @throws AppError invalid_request when the first line is the header of a CSV */
function refuseHeader(line: string): void {
  if (!HEADER.test(line)) return;
  throw new AppError('invalid_request', {
    field: 'file',
    detail: `the file looks like CSV: its first line is ${JSON.stringify(shortenText(line, 100))}, which is neither a URL nor JSON`,
    hint: 'Give it a name that ends in .csv, or the type text/csv.',
  });
}

export async function* readNdjsonInputs(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<InputBlock, void, undefined> {
  let number = 0;
  for await (const lines of readLines(chunks, 'file')) {
    let block: Input[] = [];
    for (const line of lines) {
      number += 1;
      const text = (number === 1 ? line.replace(/^\uFEFF/, '') : line).trim();
      if (text === '') continue;
      if (number === 1) refuseHeader(text);
      block.push(readLine(text, number));
      if (block.length < BLOCK) continue;
      yield block;
      block = [];
    }
    if (block.length > 0) yield block;
  }
}

/** How a file of inputs is read. */
export interface FileReader {
  /** The format of a file of text. */
  format: 'csv' | 'tsv' | 'ndjson';
  /** Reads a spreadsheet as CSV. */
  readSheet: (archive: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
  takesUrls: boolean;
  isWhole?: boolean;
  /** Called with the names of columns that inputs don't have. */
  onLeftOut?: ((names: readonly string[]) => void) | undefined;
}

/** The inputs of a file: a spreadsheet is known by its first bytes, whatever its name. */
export async function* readFileInputs(
  file: AsyncIterable<Uint8Array>,
  { format, readSheet, takesUrls, ...options }: FileReader,
): AsyncGenerator<InputBlock, void, undefined> {
  const rest = file[Symbol.asyncIterator]();
  const first = await rest.next();
  const start = first.done === true ? new Uint8Array() : first.value;
  const whole = (async function* whole() {
    yield start;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  })();
  if (Buffer.from(start.subarray(0, ARCHIVE_MARK.length)).toString('latin1') === ARCHIVE_MARK)
    yield* readCsvInputs(readSheet(whole), takesUrls, options);
  else if (format === 'ndjson') yield* readNdjsonInputs(whole);
  else yield* readCsvInputs(whole, takesUrls, { ...options, delimiter: format === 'csv' ? ',' : '\t' });
}

/**
 * Reads CSV with a header. Without `takesUrls`, the columns are parameters, and an empty cell omits one. With `isWhole`,
 * an input has all columns beside its URL.
 */
export async function* readCsvInputs(
  chunks: AsyncIterable<Uint8Array>,
  takesUrls: boolean,
  {
    delimiter = ',',
    isWhole = false,
    onLeftOut,
  }: {
    delimiter?: ',' | '\t';
  } & Pick<FileReader, 'isWhole' | 'onLeftOut'> = {},
): AsyncGenerator<InputBlock, void, undefined> {
  const parser = parse({
    delimiter,
    skip_empty_lines: true,
    // Too few or too many cells make one line invalid, not the whole file.
    relax_column_count: true,
    max_record_size: MAX_RECORD_BYTES,
    info: true,
  });
  const source = Readable.from(decodeText(chunks, 'file'), { objectMode: false });
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  let readCells: ((cells: readonly string[], at: number) => Input) | undefined;
  let block: Input[] = [];
  try {
    for await (const entry of parser) {
      const { record, info } = entry as { record: string[]; info: { lines: number } };
      if (!readCells) {
        readCells = readCsvHeader(record, takesUrls, isWhole);
        const others = record
          .map((name) => name.trim())
          .filter((name) => name !== '' && !/^url$/i.test(name));
        if (takesUrls && !isWhole && others.length > 0) onLeftOut?.(others);
        continue;
      }
      block.push(readCells(record, info.lines));
      if (block.length < BLOCK) continue;
      yield block;
      block = [];
    }
    if (block.length > 0) yield block;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('invalid_request', {
      field: 'file',
      detail: `the CSV is malformed: ${error instanceof Error ? error.message : ''}`,
      cause: error,
    });
  } finally {
    source.destroy();
  }
}
