import { readSpan } from './distance.ts';
import { toAsciiDigits } from './digits.ts';
import { knownLanguage } from './languages.ts';
import { ABSENT, invalidReading, valueReading, type Reading } from './reading.ts';

const ISO =
  /^P(?:(\d+(?:[.,]\d+)?)W)?(?:(\d+(?:[.,]\d+)?)D)?(?:T(?:(\d+(?:[.,]\d+)?)H)?(?:(\d+(?:[.,]\d+)?)M)?(?:(\d+(?:[.,]\d+)?)S)?)?$/i;
/** `1:23:45`, `12:34`; with a word for hours the first of two parts counts hours. */
const CLOCK =
  /^(?:(\d{1,3}):)?(\d{1,3}):(\d{2})(?:[.,](\d{1,3}))?(\s?(?:h|hrs?|hours?|std\.?|stunden|uur|heures?))?$/i;
const LABEL = /^[\p{L}\p{M}\s]{1,30}:\s*(?=\S)/u;

const SECONDS = { second: 1, minute: 60, hour: 3_600, day: 86_400, week: 604_800 } as const;
/** A hundred years. */
const MOST_SECONDS = 3_155_760_000;

function sum(parts: readonly (string | undefined)[], factors: readonly number[]): number {
  return parts.reduce(
    (total, part = '0', place) => total + Number(part.replace(',', '.')) * (factors[place] ?? 0),
    0,
  );
}

function secondsOf(text: string, language: string | undefined): number | undefined {
  const iso = ISO.exec(text);
  if (iso !== null && /\d/.test(text)) return sum(iso.slice(1), [604_800, 86_400, 3_600, 60, 1]);
  const clock = CLOCK.exec(text);
  if (clock !== null) {
    const [, first, second, third = '', part = '', word] = clock;
    if (Number(third) > 59 || (first !== undefined && Number(second) > 59)) return undefined;
    const factors = word !== undefined && first === undefined ? [0, 3_600, 60] : [3_600, 60, 1];
    return sum([first, second, third], factors) + Number(`0.${part || '0'}`);
  }
  const terms = readSpan(text, language);
  if (terms === undefined) return undefined;
  let total = 0;
  for (const { count, unit } of terms) {
    // A month has no certain length.
    if (unit === 'month' || unit === 'year') return undefined;
    total += count * SECONDS[unit];
  }
  return Number(total.toFixed(3));
}

/**
 * Reads how long something takes, in seconds: `2h 30m`, `PT1H30M`, `1:23:45`, `90 Minuten`. A number without a unit is
 * invalid: it could be minutes.
 */
export function createDurationReader(locale?: string): (text: string, language?: string) => Reading<number> {
  const own = knownLanguage(locale?.replaceAll('_', '-'));
  return (raw, language) => {
    const text = toAsciiDigits(raw).trim();
    if (text === '') return ABSENT;
    if (/^\d+(?:[.,]\d+)?$/.test(text)) return invalidReading(raw, 'has no unit of time');
    const spoken = own ?? knownLanguage(language);
    const seconds =
      text.length > 100 ? undefined : (secondsOf(text, spoken) ?? secondsOf(text.replace(LABEL, ''), spoken));
    return seconds === undefined || seconds > MOST_SECONDS
      ? invalidReading(raw, 'is not a duration')
      : valueReading(seconds);
  };
}
