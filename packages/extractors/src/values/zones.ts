import { numberTable } from './number-table.ts';
import { ZONE_AFTER } from './tables/zone-words.ts';

/** A time zone as it is written. */
export interface ZoneParts {
  offsetMinutes?: number;
  /** A zone by its place, whose offset hangs on the day: `Europe/Berlin`. */
  place?: string;
  /** A zone that is ambiguous: `IST` names three. */
  unknownZone?: string;
}

/** Minutes east of UTC of zones that one abbreviation names, and no other. */
const ZONES = numberTable(`
z utc gmt ut wet 0|bst cet mez west 60|cest mesz eet 120|eest msk 180|pkt 300|ict 420|awst hkt sgt 480|jst kst 540
acst 570|aest 600|acdt 630|aedt 660|nzst 720|nzdt 780|est cdt -300|edt -240|cst mdt -360|mst pdt -420|pst akdt -480
akst -540|hst -600
`);

/** Names of zones whose offset hangs on the day. */
const PLACES: Readonly<Record<string, string>> = {
  et: 'America/New_York',
  eastern: 'America/New_York',
  ct: 'America/Chicago',
  central: 'America/Chicago',
  mt: 'America/Denver',
  mountain: 'America/Denver',
  pt: 'America/Los_Angeles',
  pacific: 'America/Los_Angeles',
};

/** Minutes east of UTC for `Z`, `+02:00`, `UTC+2`, `CEST`; undefined for anything else. */
export function readOffset(text: string): number | undefined {
  const word = text.trim().toLowerCase();
  const named = ZONES.get(word);
  if (named !== undefined) return named;
  const match = /^(?:utc|gmt)?([+-])(\d{1,2})(?::?(\d{2}))?$/.exec(word);
  if (!match) return undefined;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  return minutes > 14 * 60 + 59 ? undefined : match[1] === '-' ? -minutes : minutes;
}

const LEAD = String.raw`^([\s,;|/·–—-]*)(?:[([]\s*)?`;
const NUMBER = String.raw`\d{1,2}(?::?\d{2})?\b(?![.,:]\d|[½¼¾])`;
const OFFSET = new RegExp(String.raw`^\s*(?:[([]\s*)?(Z\b|[+-]${NUMBER})`, 'i');
/** `UTC+2`, `UTC –5`, `GMT + 1` */
const OFFSET_NAMED = new RegExp(String.raw`${LEAD}(?:UTC|GMT)(\s?\+\s?|\s?[-–—])(${NUMBER})`, 'i');
/** `CEST`, `E.S.T.`; of `UTC - 5` nobody knows what it is. */
const ABBREVIATION = new RegExp(
  String.raw`${LEAD}((?:[A-Z]\.){1,4}[A-Z](?!\p{L})\.?|[A-Z]{2,5}(?![\p{L}\d_]))`,
  'iu',
);
/** `America/New_York` */
const PLACE = new RegExp(String.raw`${LEAD}([A-Z][A-Za-z]+(?:\/[A-Z][\w-]+)+)`);
/** `Eastern Time`, `Pacific Standard Time`, `U.S. Eastern` */
const AMERICAN = new RegExp(
  String.raw`${LEAD}(?:U\.?S\.?\s)?((?:Eastern|Central|Pacific|Mountain)(?:\s(?:Standard|Daylight))?(?:\sTime)?)(?!\p{L})(\s\p{L})?`,
  'iu',
);
/** Words in capitals that can follow a time and are not zones. */
const NO_ZONES = new Set(
  `AM PM UHR HRS HR HS BY ON AT IN OF TO DE LE EL IL AND THE FOR VON DEN MON TUE TUES WED THU THUR THURS FRI SAT SUN
  JAN FEB MAR APR MAY JUN JUL AUG SEP SEPT OCT NOV DEC MARCH APRIL JUNE JULY`.split(/\s+/),
);

/** The place of a zone's name, or its offset: `Eastern Standard Time` is EST on every day. */
function readName(name: string): ZoneParts {
  const word = name.toLowerCase();
  const fixed = /^(eastern|central|mountain|pacific) (standard|daylight)/.exec(word);
  const offsetMinutes = fixed === null ? undefined : ZONES.get(`${fixed[1]?.[0]}${fixed[2]?.[0]}t`);
  if (offsetMinutes !== undefined) return { offsetMinutes };
  const place = PLACES[word.replace(/\stime$/, '')] ?? (name.includes('/') ? name : undefined);
  return place !== undefined && isPlace(place) ? { place } : { unknownZone: name };
}

function isPlace(place: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: place }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

type FoundZone = { parts: ZoneParts; length: number };

function readNamed(text: string): FoundZone | undefined {
  const place = PLACE.exec(text);
  if (place?.[2] !== undefined) return { parts: readName(place[2]), length: place[0].length };
  const american = AMERICAN.exec(text);
  // `Eastern European Time` and `Central Bank`.
  if (american?.[2] !== undefined && (american[3] === undefined || / time$/i.test(american[2])))
    return { parts: readName(american[2]), length: american[0].length };
  return undefined;
}

function readWords(text: string): FoundZone | undefined {
  const words = ZONE_AFTER.exec(text) ?? AMERICAN.exec(text);
  return words === null ? undefined : { parts: { unknownZone: words[0].trim() }, length: words[0].length };
}

/** An abbreviation: one that is known, or one in capitals that may be a zone. */
function readAbbreviation(text: string): FoundZone | undefined {
  const match = ABBREVIATION.exec(text);
  if (match === null) return undefined;
  const [whole, lead = '', written = ''] = match;
  const zone = written.replaceAll('.', '');
  const { length } = whole;
  const offsetMinutes = readOffset(zone);
  const rest = text.slice(length);
  // `UTC - 5`, `CST (China)`
  const isOther = /^(?:UTC|GMT)$/i.test(zone)
    ? /^\s*[+±–—-]\s*\d/.test(rest)
    : /^\s*[([]\s*\p{Lu}\p{L}/u.test(rest);
  const isCapital = /^[A-Z]+$/.test(zone);
  if (offsetMinutes !== undefined && (isCapital || lead.trim() === ''))
    return { parts: isOther ? { unknownZone: zone } : { offsetMinutes }, length };
  if (!isCapital || NO_ZONES.has(zone)) return undefined;
  const parts = isOther ? { unknownZone: zone } : readName(zone);
  // `10:30 | BBC News`
  return parts.unknownZone !== undefined && /[^\s,;]/.test(lead) ? undefined : { parts, length };
}

/** The zone at the start of the text after a time, and the zone's length. */
export function readZone(text: string): FoundZone {
  const offset = OFFSET.exec(text);
  const named = OFFSET_NAMED.exec(text);
  const written =
    offset?.[1] ?? (named === null ? '' : `${named[2]?.includes('+') === true ? '+' : '-'}${named[3]}`);
  const offsetMinutes = readOffset(written);
  if (offsetMinutes !== undefined)
    return { parts: { offsetMinutes }, length: (offset ?? named)?.[0].length ?? 0 };
  return readNamed(text) ?? readAbbreviation(text) ?? readWords(text) ?? { parts: {}, length: 0 };
}

/** Minutes east of UTC of a place at a local time, given as if it were UTC. Of a repeated hour the first counts. */
export function offsetAt(place: string, localMs: number): number {
  const format = new Intl.DateTimeFormat('en', { timeZone: place, timeZoneName: 'longOffset' });
  const offsetOf = (ms: number): number => {
    const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    return readOffset(name) ?? 0;
  };
  const guesses = [-1, 0, 1].map((days) => offsetOf(localMs + days * 86_400_000));
  const right = guesses.filter((offset) => offsetOf(localMs - offset * 60_000) === offset);
  return Math.max(...(right.length > 0 ? right : guesses.slice(0, 1)));
}
