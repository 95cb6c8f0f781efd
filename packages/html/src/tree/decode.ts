import { TextDecoder as SpecDecoder } from '@exodus/bytes/encoding.js';
import sniffEncoding from 'html-encoding-sniffer';
import { guessEncoding } from '#guess-encoding';
import { findLateEncoding, headOf } from './late-declaration.ts';
import { likelyEncodings } from './likely-encodings.ts';

/** Encodings that Node's decoder reads exactly as the Encoding standard requires, and much faster. */
const NATIVE = new Set(['UTF-8', 'UTF-16LE', 'UTF-16BE', 'windows-1252']);

/** Decoded within some tens of milliseconds in any encoding. */
const PART_BYTES = 512 * 1024;

const NOTHING_DECLARED = 'nothing-declared';

function charsetOf(contentType: string | undefined): string | undefined {
  return /[;,\s]charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;,"']+))/i
    .exec(contentType ?? '')
    ?.slice(1)
    .find(Boolean);
}

/** Faults of a UTF-8 page that are accepted: one in so many characters that are right. */
const RIGHT_FOR_EACH_FAULT = 4;

/** Whether bytes that are no valid UTF-8 are it but for some faults: a text cut in a character, a part of another origin. */
function isFaultyUtf8(body: Uint8Array): boolean {
  let faults = 0;
  let characters = 0;
  for (const [character] of new TextDecoder().decode(body).matchAll(/[^\0-\x7f]/gu)) {
    if (character === '\uFFFD') faults += 1;
    else characters += 1;
  }
  return characters > RIGHT_FOR_EACH_FAULT * faults;
}

/** An escape of ISO-2022-JP, whose bytes are all ASCII. */
const JAPANESE_ESCAPE = /\x1b\$[@B]/;

function utf8TextOf(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

/** Types in which a `<meta>` declares nothing. */
const DATA_TYPE = /^\s*[\w.-]+\/(?!xhtml\+)(?:[\w.-]+\+)?(?:x-)?(json|xml)\s*(?:;|$)/i;

function findUndeclared(body: Uint8Array, isData: boolean, address: string | undefined): string {
  const head = headOf(body);
  const late = isData ? undefined : findLateEncoding(head);
  if (late !== undefined) return late;
  const text = utf8TextOf(body);
  if (text !== undefined)
    return JAPANESE_ESCAPE.test(text) && !/[^\0-\x7f]/.test(text) ? 'ISO-2022-JP' : 'UTF-8';
  return isFaultyUtf8(body) ? 'UTF-8' : guessEncoding(body, likelyEncodings(head, address));
}

function findEncoding(body: Uint8Array, contentType: string | undefined, address?: string): string {
  const label = charsetOf(contentType);
  const data = DATA_TYPE.exec(contentType ?? '')?.[1]?.toLowerCase();
  const encoding = sniffEncoding(body, {
    defaultEncoding: NOTHING_DECLARED,
    // The parser of XML reads its declaration; JSON declares nothing.
    ...(data === 'xml' ? { xml: true } : data === 'json' ? { maxPrescanBytes: 0 } : {}),
    ...(label === undefined ? {} : { transportLayerEncodingLabel: label }),
  });
  return encoding === NOTHING_DECLARED ? findUndeclared(body, data !== undefined, address) : encoding;
}

/**
 * Decodes a page as a browser does: by byte order mark, else the charset of `contentType`, else a `<meta>` before the
 * body. A page without a declaration is read as UTF-8 if it is that, else in the encoding that its bytes, its language
 * and the domain of `address` make likely.
 */
export function decodeHtml(
  body: Uint8Array | string,
  contentType: string | undefined,
  address?: string,
): { text: string; encoding: string } {
  if (typeof body === 'string') {
    return { text: body.codePointAt(0) === 0xfeff ? body.slice(1) : body, encoding: 'UTF-8' };
  }
  return decodeAs(body, findEncoding(body, contentType, address));
}

function decodeAs(body: Uint8Array, encoding: string): { text: string; encoding: string } {
  // The standard decodes unsafe encodings to a single replacement character.
  if (encoding === 'replacement') return { text: '\uFFFD', encoding };
  const Decoder = NATIVE.has(encoding) ? TextDecoder : SpecDecoder;
  return { text: new Decoder(encoding).decode(body), encoding };
}

/** As `decodeHtml`, but for a thread that also does other work: that goes on between the parts. */
export async function decodeHtmlInParts(
  body: Uint8Array,
  contentType: string | undefined,
  address?: string,
): Promise<{ text: string; encoding: string }> {
  const encoding = findEncoding(body, contentType, address);
  if (NATIVE.has(encoding) || encoding === 'replacement') return decodeAs(body, encoding);
  const decoder = new SpecDecoder(encoding);
  const parts: string[] = [];
  for (let from = 0; from < body.length; from += PART_BYTES) {
    parts.push(decoder.decode(body.subarray(from, from + PART_BYTES), { stream: true }));
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return { text: `${parts.join('')}${decoder.decode()}`, encoding };
}
