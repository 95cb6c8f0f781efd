import { TextDecoder as SpecDecoder } from '@exodus/bytes/encoding.js';
import sniffEncoding from 'html-encoding-sniffer';

/** Encodings that Node's decoder reads exactly as the Encoding standard requires, and much faster. */
const NATIVE = new Set(['UTF-8', 'UTF-16LE', 'UTF-16BE', 'windows-1252']);

/** Decoded within some tens of milliseconds in any encoding. */
const PART_BYTES = 512 * 1024;

const NOTHING_DECLARED = 'nothing-declared';

function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i
    .exec(contentType ?? '')
    ?.slice(1)
    .find(Boolean);
}

function findEncoding(body: Uint8Array, contentType: string | undefined): string {
  const label = charsetOf(contentType);
  return sniffEncoding(body, {
    defaultEncoding: NOTHING_DECLARED,
    ...(label === undefined ? {} : { transportLayerEncodingLabel: label }),
  });
}

function decodeUndeclared(bytes: Uint8Array): { text: string; encoding: string } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'UTF-8' };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'windows-1252' };
  }
}

/**
 * Decodes a page as a browser does: by byte order mark, else the charset of `contentType`, else a `<meta>` within the
 * first 1,024 bytes. A page without a declaration is read as UTF-8 if that is valid, else as windows-1252.
 */
export function decodeHtml(
  body: Uint8Array | string,
  contentType: string | undefined,
): { text: string; encoding: string } {
  if (typeof body === 'string') {
    return { text: body.codePointAt(0) === 0xfeff ? body.slice(1) : body, encoding: 'UTF-8' };
  }
  const encoding = findEncoding(body, contentType);
  if (encoding === NOTHING_DECLARED) return decodeUndeclared(body);
  // The standard decodes unsafe encodings to a single replacement character.
  if (encoding === 'replacement') return { text: '\uFFFD', encoding };
  const Decoder = NATIVE.has(encoding) ? TextDecoder : SpecDecoder;
  return { text: new Decoder(encoding).decode(body), encoding };
}

/** As `decodeHtml`, but for a thread that also does other work: that goes on between the parts. */
export async function decodeHtmlInParts(
  body: Uint8Array,
  contentType: string | undefined,
): Promise<{ text: string; encoding: string }> {
  const encoding = findEncoding(body, contentType);
  if (NATIVE.has(encoding) || encoding === NOTHING_DECLARED || encoding === 'replacement')
    return decodeHtml(body, contentType);
  const decoder = new SpecDecoder(encoding);
  const parts: string[] = [];
  for (let from = 0; from < body.length; from += PART_BYTES) {
    parts.push(decoder.decode(body.subarray(from, from + PART_BYTES), { stream: true }));
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return { text: `${parts.join('')}${decoder.decode()}`, encoding };
}
