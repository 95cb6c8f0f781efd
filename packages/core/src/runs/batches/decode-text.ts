import { AppError } from '@gleaner/contracts';

/** The number of characters before the first invalid byte that an error shows. */
const MAX_SHOWN_LENGTH = 60;

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

/**
 * Decodes text while its bytes arrive: UTF-8, or UTF-16 with a byte order mark, which is left out.
 * @throws AppError invalid_request for bytes that are not text; replacing them would change the input
 */
export async function* decodeText(
  chunks: AsyncIterable<Uint8Array>,
  field: string,
): AsyncGenerator<string, void, undefined> {
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
