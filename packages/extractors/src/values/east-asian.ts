import { numberTable } from './number-table.ts';

/** Units within ten thousand, and those that count what stands before them. */
const SMALL = numberTable('十 십 拾 1|百 백 2|千 천 仟 3');
const LARGE = numberTable('万 萬 만 4|億 亿 억 8|兆 조 12|京 경 16');
const UNIT = /[十십拾百백千천仟万萬만億亿억兆조京경]/u;
/** `千克` and `兆瓦` are units of measure. */
const MEASURE = /^(?:千(?=\s?[克卡米瓦赫伏帕焦字升吨噸公])|兆(?=\s?[瓦赫字位比帕欧歐伏]))/u;
const TERM = /^(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?/;

/** A number with units of East Asia. */
interface EastAsianNumber {
  /** Undefined when the parts are no one number. */
  value: number | undefined;
  start: number;
  end: number;
}

interface Sum {
  /** What the large units before make. */
  total: number;
  /** The terms since the last large unit. */
  section: number;
  /** What the next term within a section and the next section stay below. */
  small: number;
  large: number;
}

/** Adds a term with its units, `5천만`; undefined when it is not smaller than the one before. */
function addTerm({ total, section, small, large }: Sum, size: number, units: string): Sum | undefined {
  const smallUnits = /^[十십拾百백千천仟]*/u.exec(units)?.[0] ?? '';
  const largeUnits = Array.from(units.slice(smallUnits.length), (unit) => LARGE.get(unit));
  const unit = Array.from(smallUnits).reduce((product, one) => product * 10 ** (SMALL.get(one) ?? 0), 1);
  const term = size * unit;
  if (term >= small) return undefined;
  const sum = section + term;
  if (largeUnits.length === 0) return sum < large ? { total, section: sum, small: unit, large } : undefined;
  // A small unit after a large one: `万千`.
  if (largeUnits.includes(undefined)) return undefined;
  const factor = largeUnits.reduce((product: number, power = 0) => product * 10 ** power, 1);
  return sum * factor < large
    ? { total: total + sum * factor, section: 0, small: Infinity, large: factor }
    : undefined;
}

/** A unit without a number before it counts one: `천 4백만`. */
function leadOf(text: string, start: number): string {
  return (
    /(?:^|[\s\p{Sc}])([천만백십千万百十])\s?$/u.exec(text.slice(Math.max(0, start - 4), start))?.[1] ?? ''
  );
}

function unitsAt(text: string, at: number): string {
  let units = '';
  for (let next = at; next < text.length; next += 1) {
    const sign = text.charAt(next);
    if (!UNIT.test(sign) || MEASURE.test(text.slice(next, next + 3))) break;
    units += sign;
  }
  return units;
}

/**
 * Reads one number of terms and units: `1万2,800`, `12만 9,000`, `1억 5천만`, `20万亿`. A term without a unit belongs to it when
 * nothing or one space parts it, and then when it has three digits or more.
 * @param start where its first digit is; undefined when no unit follows
 */
export function readEastAsian(text: string, start: number): EastAsianNumber | undefined {
  const lead = leadOf(text, start);
  let sum: Sum = { total: 0, section: 0, small: Infinity, large: Infinity };
  let end = start;
  let isDone = false;
  if (lead !== '') sum = addTerm(sum, 1, lead) ?? sum;
  for (let at = start, terms = 0; terms < 12; terms += 1) {
    const gap = terms === 0 ? '' : (/^(?: ?[零〇] ?| )?/u.exec(text.slice(at, at + 3))?.[0] ?? '');
    const from = at + gap.length;
    const [written = '', whole = '', part = ''] = TERM.exec(text.slice(from, from + 40)) ?? [];
    if (written === '' && terms === 0) return undefined;
    if (written === '') break;
    const space = /^ ?/.exec(text.slice(from + written.length))?.[0] ?? '';
    const units = unitsAt(text, from + written.length + space.length);
    if (units === '' && terms === 0 && lead === '') return undefined;
    const isApart = gap === ' ';
    if (isApart && units === '' && whole.replaceAll(',', '').length < 3 && !/[零〇]/.test(gap)) break;
    // A term after a part, or another number.
    const size = Number(`${whole.replaceAll(',', '')}${part}`);
    const next: Sum | undefined = isDone ? undefined : addTerm(sum, size, units);
    if (next === undefined && isApart) break;
    if (next === undefined) return { value: undefined, start, end: from + written.length };
    sum = next;
    end = from + written.length + (units === '' ? 0 : space.length + units.length);
    at = end;
    isDone = units === '' || part !== '';
    if (units === '' && /^[.,]?\d/.test(text.slice(end))) return { value: undefined, start, end };
  }
  const value = Number((sum.total + sum.section).toPrecision(15));
  return { value, start: lead === '' ? start : Math.max(0, text.lastIndexOf(lead, start)), end };
}
