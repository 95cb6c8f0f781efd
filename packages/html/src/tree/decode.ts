import { TextDecoder as SpecDecoder } from '@exodus/bytes/encoding.js';
import sniffEncoding from 'html-encoding-sniffer';

/** Encodings that Node's own decoder reads exactly as the Encoding standard says, and much faster. */
const NATIVE = new Set(['UTF-8', 'UTF-16LE', 'UTF-16BE', 'windows-1252']);

const NOTHING_DECLARED = 'nothing-declared';

function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i
    .exec(contentType ?? '')
    ?.slice(1)
    .find(Boolean);
}

function decodeUndeclared(bytes: Uint8Array): { text: string; encoding: string } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'UTF-8' };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), encoding: 'windows-1252' };
  }
}

/**
 * The page's text, decoded as a browser would: byte order mark, then the charset of `contentType`, then the first
 * 1,024 bytes' `<meta>`. A page that declares nothing is UTF-8 when it is valid UTF-8, else windows-1252.
 */
export function decodeHtml(
  body: Uint8Array | string,
  contentType: string | undefined,
): { text: string; encoding: string } {
  if (typeof body === 'string') {
    return { text: body.codePointAt(0) === 0xfeff ? body.slice(1) : body, encoding: 'UTF-8' };
  }
  const label = charsetOf(contentType);
  const encoding = sniffEncoding(body, {
    defaultEncoding: NOTHING_DECLARED,
    ...(label === undefined ? {} : { transportLayerEncodingLabel: label }),
  });
  if (encoding === NOTHING_DECLARED) return decodeUndeclared(body);
  // The standard's decoder for encodings that are unsafe to read gives a single replacement character.
  if (encoding === 'replacement') return { text: '\uFFFD', encoding };
  const Decoder = NATIVE.has(encoding) ? TextDecoder : SpecDecoder;
  return { text: new Decoder(encoding).decode(body), encoding };
}
