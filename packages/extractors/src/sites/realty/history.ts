import { all, lineOf, type DomScope } from '../read/dom.ts';
import { isObject } from '@gleaner/contracts/values';
import { arrayAt, asFilled, asNumber, filledAt, numberAt, type JsonObject } from '../read/value.ts';
import { positiveAt, readPrice } from './numbers.ts';

export interface PriceEvent {
  date: string | null;
  price: number | null;
  event: string | null;
}

export interface TaxYear {
  year: number | null;
  tax: number | null;
  assessment: number | null;
}

/** The day of a time in milliseconds, in UTC; null outside the calendar. */
function dayOf(timeMs: unknown): string | null {
  const ms = asNumber(timeMs);
  return ms !== null && Math.abs(ms) < 8e15 ? new Date(ms).toISOString().slice(0, 10) : null;
}

export function readPriceHistory(property: JsonObject): PriceEvent[] {
  return arrayAt(property, 'priceHistory')
    .filter(isObject)
    .map((row) => ({
      date: filledAt(row, 'date') ?? dayOf(row['time']),
      price: positiveAt(row, 'price'),
      event: filledAt(row, 'event'),
    }));
}

export function readTaxHistory(property: JsonObject): TaxYear[] {
  return arrayAt(property, 'taxHistory')
    .filter(isObject)
    .map((row) => ({
      year: yearOf(row),
      tax: positiveAt(row, 'taxPaid'),
      assessment: positiveAt(row, 'value'),
    }));
}

function yearOf(row: JsonObject): number | null {
  const day = dayOf(row['time']);
  return day === null ? numberAt(row, 'year') : Number(day.slice(0, 4));
}

/** The rows of the table whose header has all these words. */
function tableRows(page: DomScope, words: RegExp[]): string[][] {
  for (const table of all(page, 'table')) {
    const head = all(table, 'th')
      .map((cell) => lineOf(cell) ?? '')
      .join(' | ');
    if (!words.every((word) => word.test(head))) continue;
    return all(table, 'tbody tr').map((row) => all(row, 'th, td').map((cell) => lineOf(cell) ?? ''));
  }
  return [];
}

/** The rendered table under “Price history”: date, event, price. */
export function readPriceTable(page: DomScope): PriceEvent[] {
  return tableRows(page, [/date/i, /event/i, /price/i]).flatMap((cells) => {
    const found = /(\d{1,2})\/(\d{1,2})\/(\d{4})/.exec(cells[0] ?? '');
    if (!found) return [];
    const [, month = '', day = '', year = ''] = found;
    return [
      {
        date: `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`,
        price: readPrice(cells[2]),
        event: asFilled(cells[1]),
      },
    ];
  });
}

/** The rendered table under “Public tax history”: year, taxes, assessment. */
export function readTaxTable(page: DomScope): TaxYear[] {
  return tableRows(page, [/year/i, /tax/i, /assess/i]).flatMap((cells) => {
    const year = /^\d{4}$/.exec(cells[0] ?? '')?.[0];
    return year === undefined
      ? []
      : [{ year: Number(year), tax: readPrice(cells[1]), assessment: readPrice(cells[2]) }];
  });
}
