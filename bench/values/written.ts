import { compileParser, extract, type CompiledParser } from '@gleaner/extractors';
import { readSuite } from './suite.ts';

/** A text as a field of a page in `lang` holds it, with what it says. */
interface Written {
  set: string;
  lang?: string;
  text: string;
  want: number | string;
  currency?: string;
  fetched_at?: string;
}

type Verdict = 'right' | 'wrong' | 'null';

function parserOf(type: 'number' | 'money' | 'datetime'): CompiledParser {
  return compileParser({ fields: { value: { css: 'p', type, assert: { on_fail: 'null' } } } });
}
const PARSERS = { number: parserOf('number'), money: parserOf('money'), datetime: parserOf('datetime') };

function readValue(type: keyof typeof PARSERS, { text, lang, fetched_at: at }: Written): unknown {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const body = `<html${lang === undefined ? '' : ` lang="${lang}"`}><p>${escaped}</p></html>`;
  const fetchedAt = at === undefined ? {} : { fetchedAt: timeOf(at) };
  const extraction = extract(PARSERS[type], { url: 'https://site.example/', body, ...fetchedAt });
  return extraction.ok ? extraction.data.value : null;
}

/** A time of the set, which is in UTC. */
function timeOf(text: string): string {
  return new Date(text.endsWith('Z') ? text : `${text.replace(' ', 'T')}Z`).toISOString();
}

function isNear(value: number, want: number): boolean {
  return Math.abs(value - want) <= 1e-9 * Math.abs(want);
}

/** An amount is judged as a number, its currency as money: one that the text names and Gleaner doesn't is empty. */
function judgeAmount(one: Written): { verdict: Verdict; value: unknown } {
  const value = readValue('number', one);
  if (typeof value !== 'number') return { verdict: 'null', value };
  if (!isNear(value, Number(one.want))) return { verdict: 'wrong', value };
  if (one.currency === undefined) return { verdict: 'right', value };
  const money = readValue('money', one);
  const currency = typeof money === 'object' && money !== null && 'currency' in money ? money.currency : null;
  return {
    verdict: currency === one.currency ? 'right' : currency === null ? 'null' : 'wrong',
    value: money,
  };
}

/** Where the text names no time of day the set keeps that of the fetch, and Gleaner none: the days are compared. */
function judgeTime(one: Written): { verdict: Verdict; value: unknown } {
  const value = readValue('datetime', one);
  if (typeof value !== 'string') return { verdict: 'null', value: null };
  const want = timeOf(String(one.want));
  const hasSameDay = value.slice(0, 10) === want.slice(0, 10) && value.endsWith('T00:00:00.000Z');
  const hasNoTime = one.fetched_at !== undefined && want.slice(11) === timeOf(one.fetched_at).slice(11);
  return { verdict: value === want || (hasSameDay && hasNoTime) ? 'right' : 'wrong', value };
}

/** The rows, each with the sets that it counts. */
const ROWS: readonly (readonly [name: string, sets: readonly string[]])[] = [
  ['numbers and percentages', ['NumberModel', 'PercentModel']],
  ['amounts with currency', ['CurrencyModel']],
  ['measures', ['DimensionModel', 'TemperatureModel', 'AgeModel']],
  ['written dates', ['dateparser absolute', 'dateparser translation', 'dateparser zones']],
  [
    'relative times',
    [
      'dateparser freshness',
      'dateparser relative-past',
      'dateparser relative-future',
      'dateparser relative-time',
    ],
  ],
  ['dates of Recognizers-Text', ['DateTimeModel']],
];

/**
 * Values as people write them in their languages: each text alone on a page in its language. W: another value than the
 * one that is meant; N: null. Prints the wrong ones, with `--all` the empty ones too.
 */
export function measureWritten(args: readonly string[]): void {
  const cases = readSuite<Written>('written.json');
  for (const [name, sets] of ROWS) {
    const own = cases.filter(({ set }) => sets.includes(set));
    const counts = { right: 0, wrong: 0, null: 0 };
    for (const one of own) {
      const { verdict, value } = typeof one.want === 'string' ? judgeTime(one) : judgeAmount(one);
      counts[verdict] += 1;
      if (verdict === 'wrong' || (verdict === 'null' && args.includes('--all'))) {
        const wanted = one.currency === undefined ? one.want : `${one.want} ${one.currency}`;
        console.log(
          `  ${verdict === 'wrong' ? 'W' : 'N'} ${one.lang ?? '-'} ${JSON.stringify(one.text)} is ${wanted}, not ${JSON.stringify(value)}`,
        );
      }
    }
    console.log(`${name}: ${counts.right} right, ${counts.wrong} W, ${counts.null} N of ${own.length}`);
    console.log(JSON.stringify({ bench: 'values', section: name, ...counts, of: own.length }));
  }
}
