import { AppError } from '@gleaner/contracts';

/** The number of characters before the first invalid byte that an error shows. */
const MAX_SHOWN_LENGTH = 60;

/** How files begin that are often sent in place of CSV or lines. */
const BINARY = [
  ['PK\u0003\u0004', 'a spreadsheet (xlsx, ods) or another zip file'],
  ['\u00d0\u00cf\u0011\u00e0', 'an old Excel file (xls)'],
  ['\u001f\u008b', 'compressed with gzip'],
  ['%PDF', 'a PDF'],
] as const;

/** Spreadsheets export "Unicode text" as UTF-16. Its byte order mark identifies it. */
function encodingOf(start: Uint8Array): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : 'utf-8';
}

function refuse(field: string, encoding: string, bytes: Uint8Array, cause: unknown): AppError {
  const [before = ''] = new TextDecoder(encoding).decode(bytes).split('\uFFFD');
  const shown = JSON.stringify(before.slice(-MAX_SHOWN_LENGTH));
  const fault =
    bytes.length === 0 ? 'it ends within a character' : `the bytes after ${shown} are not a character`;
  return new AppError('invalid_request', {
    field,
    detail: `the file is not ${encoding.toUpperCase()}: ${fault}`,
    hint: 'Save the file as UTF-8.',
    cause,
  });
}

/** Names what programs save instead of text. @throws AppError invalid_request */
function refuseBinary(field: string, start: Uint8Array): void {
  const begin = Buffer.from(start.subarray(0, 5)).toString('latin1');
  const [, what] = BINARY.find(([magic]) => begin.startsWith(magic)) ?? [];
  if (what === undefined) return;
  throw new AppError('invalid_request', {
    field,
    detail: `the file is ${what}, not text`,
    hint: 'Export it as CSV (UTF-8) with a column url, or as one URL a line.',
  });
}

/**
 * Decodes text while its bytes arrive: UTF-8, or UTF-16 with a byte order mark, which is left out.
 * @throws AppError invalid_request for bytes that are not text; replacing them would change the input
 */
export async function* decodeText(
  chunks: AsyncIterable<Uint8Array>,
  field: string,
): AsyncGenerator<string, void, undefined> {
  let isFirst = true;
  let decoder: TextDecoder | undefined;
  let start: Uint8Array = new Uint8Array();
  const decode = (bytes: Uint8Array, isLast: boolean): string => {
    decoder ??= new TextDecoder(encodingOf(bytes), { fatal: true });
    try {
      return decoder.decode(bytes, { stream: !isLast });
    } catch (error) {
      throw refuse(field, decoder.encoding, bytes, error);
    }
  };
  for await (const chunk of chunks) {
    if (isFirst && chunk.length > 0) refuseBinary(field, chunk);
    isFirst &&= chunk.length === 0;
    let bytes = chunk;
    if (!decoder) {
      bytes = Buffer.concat([start, chunk]);
      start = bytes;
      if (bytes.length < 2) continue;
    }
    const text = decode(bytes, false);
    if (text !== '') yield text;
  }
  const text = decode(decoder ? new Uint8Array() : start, true);
  if (text !== '') yield text;
}
