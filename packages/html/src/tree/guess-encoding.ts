import { createRequire } from 'node:module';
import { TextDecoder as SpecDecoder } from '@exodus/bytes/encoding.js';
import type * as jschardet from 'jschardet';

/** What the detector is shown: each kilobyte takes it about 0.2 ms. */
const SEEN_BYTES = 64 * 1024;
/** ASCII before the first other byte that it sees too. */
const BEFORE_BYTES = 1_024;
/** How much a likely encoding gains on others. Texts of a few foreign letters fit several encodings equally well. */
const LIKELY_GAIN = 1.5;
/** How much the commonest encoding gains: texts in it with few letters beyond ASCII fit its neighbours a little better. */
const COMMON_GAIN = 1.2;

/** The encodings of the Encoding standard by the detector's name for them. It knows others, which no browser reads. */
const NAMES: Readonly<Record<string, string>> = {
  big5: 'Big5',
  cp874: 'windows-874',
  cp932: 'Shift_JIS',
  cp949: 'EUC-KR',
  cp1258: 'windows-1258',
  'euc-jp': 'EUC-JP',
  'euc-kr': 'EUC-KR',
  gb18030: 'gb18030',
  ibm866: 'IBM866',
  'iso-8859-2': 'ISO-8859-2',
  'iso-8859-5': 'ISO-8859-5',
  'iso-8859-6': 'ISO-8859-6',
  'iso-8859-7': 'ISO-8859-7',
  'iso-8859-8': 'ISO-8859-8',
  'koi8-r': 'KOI8-R',
  'koi8-u': 'KOI8-U',
  maccyrillic: 'x-mac-cyrillic',
  'windows-1250': 'windows-1250',
  'windows-1251': 'windows-1251',
  'windows-1252': 'windows-1252',
  'windows-1253': 'windows-1253',
  'windows-1254': 'windows-1254',
  'windows-1255': 'windows-1255',
  'windows-1256': 'windows-1256',
  'windows-1257': 'windows-1257',
};
const CANDIDATES = Object.keys(NAMES);

// Loaded with the first such page: its tables take 30 MB. The dashboard's bundle leaves this file out.
let detector: typeof jschardet | undefined;

/** Words of declarations. The detector would believe them, also in scripts. */
const DECLARING = /charset|encoding/gi;

/** What follows the first byte that is not ASCII, with something before it. */
function telling(body: Uint8Array): Uint8Array {
  const first = body.findIndex((byte) => byte > 127);
  const from = Math.max(0, first - BEFORE_BYTES);
  const seen = Buffer.from(body.subarray(from, from + SEEN_BYTES)).toString('latin1');
  return Buffer.from(seen.replace(DECLARING, 'x'), 'latin1');
}

/** A word with letters of two alphabets, which no language writes. */
const MIXED =
  /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}]|[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}]\p{Script=Latin}/u;
/** Four accented Latin letters in a row. Languages mostly write one or two. */
const ACCENTED = /[\u00C0-\u024F]{4}/;
/** The share of words that may be so: names, slips of the pen. */
const MOST_ODD = 0.3;

/** Whether a text is no language in this encoding. Only words with foreign letters tell. */
function isNonsense(seen: Uint8Array, encoding: string): boolean {
  const words = new SpecDecoder(encoding).decode(seen).match(/\p{L}+/gu) ?? [];
  const foreign = words.filter((word) => /[^\0-\x7f]/.test(word));
  const isOdd = (word: string): boolean => MIXED.test(word) || ACCENTED.test(word);
  return foreign.filter(isOdd).length > MOST_ODD * foreign.length;
}

/**
 * The encoding of bytes that are neither UTF-8 nor declared, by how letters follow each other in its languages.
 * @param likely encodings that are preferred, each as often as it stands there
 */
export function guessEncoding(body: Uint8Array, likely: readonly string[]): string {
  detector ??= createRequire(import.meta.url)('jschardet') as typeof jschardet;
  const seen = telling(body);
  const found = detector.detectAll(seen, { detectEncodings: CANDIDATES, minimumThreshold: 0 });
  const scores = found.flatMap(({ encoding, confidence }) => {
    const name = NAMES[encoding?.toLowerCase() ?? ''];
    if (name === undefined) return [];
    const common = name === 'windows-1252' ? COMMON_GAIN : 1;
    return [
      { name, score: confidence * common * LIKELY_GAIN ** likely.filter((one) => one === name).length },
    ];
  });
  const best = scores
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .find(({ name }) => !isNonsense(seen, name));
  return best?.name ?? 'windows-1252';
}
