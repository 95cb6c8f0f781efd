/** Names of characters, each with its character at the end. */
const NAMED = new Map(
  `amp& lt< gt> quot" apos' nbsp\u00A0 hellip… mdash— ndash– rsquo’ lsquo‘ ldquo“ rdquo” copy© reg® trade™ bull• middot· eacuteé`
    .split(' ')
    .map((entry) => [entry.slice(0, -1), entry.slice(-1)] as const),
);

/** Decodes the character references of an attribute value. Unknown names stay as they are. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,8}));/gi, (all, hex, dec, name) => {
    if (typeof name === 'string') return NAMED.get(name.toLowerCase()) ?? all;
    const code = typeof hex === 'string' ? Number.parseInt(hex, 16) : Number(dec);
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : all;
  });
}

/** By the first letter of a word: `k`, `thousand`, `million`. */
const SCALE: Readonly<Record<string, number>> = { k: 1e3, t: 1e3, m: 1e6, b: 1e9 };

/**
 * A count in English notation: `1,234`, `26k`, `1.6M`, `895 thousand`. Null for any other start of the text, so that
 * another language never gives a wrong number.
 */
export function readCount(text: string): number | null {
  const found =
    /^\s*(\d[\d,]*)(\.\d+)?[\s\u00A0\u202F]*(thousand|million|billion|[kmb])?(?![\p{L}\d.,])/iu.exec(text);
  const digits = found?.[1];
  if (!found || digits === undefined) return null;
  if (digits.includes(',') && !/^\d{1,3}(,\d{3})+$/.test(digits)) return null;
  const scale = SCALE[(found[3] ?? '').charAt(0).toLowerCase()] ?? 1;
  if (found[2] !== undefined && scale === 1) return null;
  const count = Math.round(Number(digits.replaceAll(',', '') + (found[2] ?? '')) * scale);
  return Number.isSafeInteger(count) ? count : null;
}

/** The first number of a text in English notation: `1,368 reactions`. */
export function firstCount(text: string | null): number | null {
  const digits = /\d[\d,]*/.exec(text ?? '')?.[0].replaceAll(',', '');
  return digits === undefined ? null : Number(digits);
}

/** Seconds → `M:SS` or `H:MM:SS`; null for zero, which means a video without a length. */
export function clockText(seconds: number | null): string | null {
  if (seconds === null || !Number.isSafeInteger(seconds) || seconds <= 0) return null;
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Ids of the networks contain their creation time: milliseconds above the lowest `bits` bits. */
export function timeOfId(id: string, bits: number, epochMs = 0): number | null {
  if (!/^\d{10,20}$/.test(id)) return null;
  const ms = Number(BigInt(id) >> BigInt(bits)) + epochMs;
  return ms > 0 && ms < 8.64e15 ? ms : null;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** `Premiered Dec 16, 2025`, `24 Aug 2019` → `2025-12-16`; null for other words. */
export function writtenDay(text: string | null): string | null {
  const found =
    /\b(?<month>[a-z]{3})[a-z]* (?<day>\d{1,2}), (?<year>\d{4})/i.exec(text ?? '') ??
    /\b(?<day>\d{1,2}) (?<month>[a-z]{3})[a-z]* (?<year>\d{4})/i.exec(text ?? '');
  const { month = '', day = '', year } = found?.groups ?? {};
  const at = MONTHS.indexOf(month.toLowerCase()) + 1;
  return at === 0 ? null : `${year}-${String(at).padStart(2, '0')}-${day.padStart(2, '0')}`;
}
