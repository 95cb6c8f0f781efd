import type { FieldType } from '@gleaner/contracts';
import { isObject } from '@gleaner/contracts/values';
import type { Scalar } from '../transform/step.ts';
import { say, type Reading } from '../values/reading.ts';

type Members = Readonly<Record<string, unknown>>;

/** Members that say that an amount counts the smallest unit of its currency. */
const SMALLEST_UNIT = ['centAmount', 'fractionDigits', 'precision', 'exponent', 'minorUnits', 'decimals'];

/** Whether a price of an offer is not what one pays for it: of another amount of it, of members of a club, a former one. */
function isOther({ priceType, ...object }: Members): boolean {
  if ('referenceQuantity' in object || 'validForMemberTier' in object) return true;
  return typeof priceType === 'string' && !priceType.includes('Sale');
}

const DEEPEST = 5;

function isScalar(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

/** The one price that an object or its offers say, in the names that the money reader knows. */
function priceIn(
  object: Members,
  outer: unknown,
  depth: number,
): { price: Scalar; priceCurrency: unknown } | undefined {
  const { price, lowPrice, amount, value, priceCurrency, currency, currencyCode } = object;
  const code = priceCurrency ?? currency ?? currencyCode ?? outer;
  if (SMALLEST_UNIT.some((name) => name in object) || depth > DEEPEST) return undefined;
  const size = price ?? lowPrice ?? amount ?? value;
  if (isScalar(size)) return { price: size, priceCurrency: code };
  for (const inner of [size, object['priceSpecification'], object['offers']]) {
    const found = new Map<string, ReturnType<typeof priceIn>>();
    for (const one of [inner].flat()) {
      const known = isObject(one) && !isOther(one) ? priceIn(one, code, depth + 1) : undefined;
      if (known !== undefined) found.set(JSON.stringify(known), known);
    }
    // Several prices: nothing says which one it is.
    if (found.size > 0) return found.size === 1 ? [...found.values()][0] : undefined;
  }
  return undefined;
}

/** What of an object is a value of the type; other types have none. */
const PARTS: Readonly<Partial<Record<FieldType, (object: Members) => Members | undefined>>> = {
  money: (object) => priceIn(object, undefined, 0),
  rating: (object) => (isScalar(object['ratingValue']) ? object : undefined),
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A step changed the text, or the page has a brace of its own.
    return undefined;
  }
}

/**
 * Keeps readers of single values from the JSON text of an object, in which they would find its first digits.
 * @returns the text to read instead, or why there is none
 */
export function partOfObject(
  type: FieldType,
  value: Scalar,
): Scalar | Extract<Reading<never>, { state: 'absent' }> {
  if (typeof value !== 'string' || !/^\s*(?:\{|\[\s*\{)/.test(value)) return value;
  const json = parsed(value);
  if (typeof json !== 'object' || json === null) return value;
  const part = isObject(json) ? PARTS[type]?.(json) : undefined;
  return part === undefined
    ? { state: 'absent', reason: say(value, 'is an object, not a single value') }
    : JSON.stringify(part);
}
