import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { collect } from '../../collect.ts';
import { Fault } from '../../fault.ts';
import { openInput } from '../../read-file.ts';
import { isPair, readWords } from './read-words.ts';

export const INPUT_FORMATS = ['lines', 'ndjson', 'csv', 'tsv'] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

/** Inputs as they are sent or read: the bytes of a file in one format. */
export interface OpenedInputs {
  stream: Readable;
  format: InputFormat;
}

function formatOf(path: string): InputFormat | undefined {
  const [ending] = /(csv|tsv|ndjson|jsonl)$/i.exec(path.replace(/.*\./, '')) ?? [];
  if (ending === undefined) return undefined;
  const name = ending.toLowerCase();
  return name === 'csv' || name === 'tsv' ? name : 'ndjson';
}

/** The format by the first line: the header of a table names the column `url` between commas or tabs. */
function guessFormat(start: string): InputFormat {
  const [line = ''] = start.replace(/^\uFEFF/, '').split(/\r?\n/);
  const cells = line.toLowerCase().split(/[,\t]/);
  if (!cells.some((cell) => cell.trim().replaceAll('"', '') === 'url')) return 'lines';
  return line.includes('\t') ? 'tsv' : 'csv';
}

async function* prepend(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}

/** Reads the first bytes of a stream to know its format, and gives the whole of it. */
async function openGuessed(source: Readable): Promise<OpenedInputs> {
  const chunks: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  const { value, done } = await chunks.next();
  if (done === true) return { stream: Readable.from([]), format: 'lines' };
  const stream = Readable.from(prepend(value, chunks), { objectMode: false });
  // A pipe that nobody reads would keep the process.
  stream.once('close', () => source.destroy());
  return { stream, format: guessFormat(value.toString('utf8')) };
}

/** Words as lines: addresses and JSON objects, one each, or the parameters of one call. */
async function linesOf(words: readonly string[]): Promise<string[]> {
  if (words.every((word) => isPair(word) && !existsSync(word)))
    return [JSON.stringify(await readWords(words))];
  return words.map((word) => {
    if (/^[\w+.-]+:\/\/|^\{/.test(word)) return word;
    const what = words.length === 1 ? 'a file' : 'one file alone';
    throw new Fault(
      `${JSON.stringify(word)} is neither ${what} nor an address.`,
      'Give one file, - for standard input, addresses with https://, or name=value for a prebuilt API.',
    );
  });
}

/**
 * Opens the inputs that a person names: one file, `-` or nothing for standard input, or the inputs themselves as words.
 * @param format absent: by the name of the file, else by its first line
 * @throws Fault
 */
export async function openInputs(words: readonly string[], format?: InputFormat): Promise<OpenedInputs> {
  const [path = '-', ...others] = words;
  if (others.length > 0 || (path !== '-' && !existsSync(path))) {
    const lines = (await linesOf(words)).map((line) => `${line}\n`);
    return { stream: Readable.from([Buffer.from(lines.join(''))], { objectMode: false }), format: 'ndjson' };
  }
  const stream = await openInput(path, 'inputs');
  const known = format ?? formatOf(path);
  return known === undefined ? openGuessed(stream) : { stream, format: known };
}

async function* readSheet(archive: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { createSheets } = await import('@gleaner/core/sheets');
  yield* createSheets().read(archive, { accountId: '', signal: new AbortController().signal });
}

/**
 * The inputs one by one, as the service reads them from a file.
 * @param takesUrls whether the target takes addresses; else the columns of a table are parameters
 * @param isWhole whether an address keeps the other columns of a table
 * @throws Fault for a line that can't be read, AppError for a table without a header that fits
 */
export async function* readInputs(
  { stream, format }: OpenedInputs,
  takesUrls: boolean,
  isWhole = false,
): AsyncGenerator<unknown, void, undefined> {
  const { readFileInputs } = await import('@gleaner/core/read-inputs');
  const blocks = readFileInputs(stream, {
    format: format === 'lines' ? 'ndjson' : format,
    readSheet,
    takesUrls,
    isWhole,
  });
  for await (const block of blocks)
    for (const { value, at, fault } of block) {
      if (fault !== undefined) throw new Fault(`Line ${at} ${fault}.`);
      yield value;
    }
}

/** All inputs that a person names. @throws Fault */
export async function collectInputs(
  words: readonly string[],
  { takesUrls, format, isWhole }: { takesUrls: boolean; format?: InputFormat | undefined; isWhole?: boolean },
): Promise<unknown[]> {
  return collect(readInputs(await openInputs(words, format), takesUrls, isWhole));
}
