import { AppError } from '@gleaner/contracts';
import { parse } from 'csv-parse';
import { Readable } from 'node:stream';
import { readLines } from './read-lines.ts';

/** Inputs as they were sent, with their index in a list or their line in a file. */
export type InputBlock = readonly { value: unknown; at: number }[];

const MAX_RECORD_BYTES = 256 * 1024;
const BLOCK = 500;

/** Inputs of a JSON body. */
export const readListInputs = async function* (
  list: readonly unknown[],
): AsyncGenerator<InputBlock, void, undefined> {
  for (let start = 0; start < list.length; start += BLOCK) {
    yield list.slice(start, start + BLOCK).map((value, offset) => ({ value, at: start + offset }));
  }
};

/** A line of NDJSON: a JSON value, or a bare URL. Undefined for one that is neither. */
const readValue = (line: string): unknown => {
  const first = line.charCodeAt(0);
  // Most lines of large files are plain strings: no need for a JSON parser.
  if (first === 0x22 && line.length > 1 && line.endsWith('"') && !line.includes('\\')) {
    const inner = line.slice(1, -1);
    return inner.includes('"') ? undefined : inner;
  }
  if (first !== 0x22 && first !== 0x7b) return line;
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
};

export const readNdjsonInputs = async function* (
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<InputBlock, void, undefined> {
  let number = 0;
  for await (const lines of readLines(chunks, 'file')) {
    const block: { value: unknown; at: number }[] = [];
    for (const line of lines) {
      number += 1;
      const text = (number === 1 ? line.replace(/^\uFEFF/, '') : line).trim();
      if (text !== '') block.push({ value: readValue(text), at: number });
    }
    if (block.length > 0) yield block;
  }
};

/** CSV with a header. Without a column `url` the columns are parameters; empty cells are absent ones. */
export const readCsvInputs = async function* (
  chunks: AsyncIterable<Uint8Array>,
  takesUrls: boolean,
): AsyncGenerator<InputBlock, void, undefined> {
  const parser = parse({
    bom: true,
    columns: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_BYTES,
    info: true,
  });
  const source = Readable.from(chunks, { objectMode: false });
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  let block: { value: unknown; at: number }[] = [];
  try {
    for await (const entry of parser) {
      const { record, info } = entry as { record: Record<string, string>; info: { lines: number } };
      const at = info.lines;
      if (takesUrls) block.push({ value: record.url, at });
      else
        block.push({
          value: Object.fromEntries(Object.entries(record).filter(([, cell]) => cell !== '')),
          at,
        });
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
};
