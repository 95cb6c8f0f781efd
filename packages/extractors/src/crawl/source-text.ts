import { createGunzip } from 'node:zlib';

/** Bytes that are decoded at once. */
const PART_BYTES = 64 * 1024;

/** How the reading of a source ended before its end. */
export interface SourceEnd {
  /** The bytes end in the middle of a gzip file, or there are more than are read. */
  isCut: boolean;
}

function isGzip(body: Uint8Array): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
}

function* partsOf(body: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < body.length; from += PART_BYTES) yield body.subarray(from, from + PART_BYTES);
}

/** The encoding by byte order mark or XML declaration; UTF-8 without one. */
function encodingOf(start: Uint8Array): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  const declaration = new TextDecoder('latin1').decode(start.subarray(0, 200));
  return /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/i.exec(declaration)?.[1] ?? 'utf-8';
}

function decoderFor(start: Uint8Array): TextDecoder {
  try {
    return new TextDecoder(encodingOf(start));
  } catch {
    return new TextDecoder('utf-8');
  }
}

/**
 * The text of a source in parts, unpacked if it is a gzip file. Whatever the bytes are, no more than one part is in memory,
 * and no more than `maxBytes` of what they unpack to are read.
 */
export async function* sourceText(
  body: Uint8Array,
  maxBytes: number,
  end: SourceEnd,
): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let left = maxBytes;
  const unpacked = isGzip(body) ? createGunzip() : undefined;
  unpacked?.end(body);
  try {
    for await (const part of unpacked ?? partsOf(body)) {
      const bytes = part as Uint8Array;
      decoder ??= decoderFor(bytes);
      yield decoder.decode(bytes.subarray(0, left), { stream: true });
      if (bytes.length > left) {
        end.isCut = true;
        return;
      }
      left -= bytes.length;
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) throw error;
    end.isCut = true;
  }
  if (decoder !== undefined) yield decoder.decode();
}
