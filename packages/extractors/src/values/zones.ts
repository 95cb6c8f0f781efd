import { numberTable } from './number-table.ts';

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

const ZONE = /^\s*(?:\(\s*)?(Z\b|(?:UTC|GMT)?[+-]\d{1,2}(?::?\d{2})?\b|[A-Z]{2,5}\b(?![/.]))/i;
/** `America/New_York`, `Eastern Time`, `Pacific Standard Time`. */
const ZONE_NAME =
  /^\s*(?:[([]\s*)?([A-Z][A-Za-z]+(?:\/[A-Z][\w-]+)+|(?:Eastern|Central|Pacific|Mountain)\b(?: (?:Standard|Daylight)\b)?(?: Time\b)?|(?:[A-Z][a-z]+ ){1,3}Time\b)/;
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
  const place = PLACES[word.replace(/ time$/, '')] ?? (name.includes('/') ? name : undefined);
  return place !== undefined && isPlace(place) ? { place } : { unknownZone: name };
}

function isPlace(place: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: place }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** The zone at the start of the text after a time, and the zone's length. */
export function readZone(text: string): { parts: ZoneParts; length: number } {
  const match = ZONE.exec(text);
  const zone = match?.[1];
  if (match !== null && zone !== undefined) {
    const offsetMinutes = readOffset(zone);
    if (offsetMinutes !== undefined) return { parts: { offsetMinutes }, length: match[0].length };
    if (/^[A-Z]+$/.test(zone) && !NO_ZONES.has(zone))
      return { parts: readName(zone), length: match[0].length };
  }
  const name = ZONE_NAME.exec(text);
  return name?.[1] === undefined
    ? { parts: {}, length: 0 }
    : { parts: readName(name[1]), length: name[0].length };
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
