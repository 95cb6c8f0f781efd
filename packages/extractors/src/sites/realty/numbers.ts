import { asNumber, fieldReader } from '../read/value.ts';

/** A number above zero: the site writes 0 for unknown. */
export function positive(value: unknown): number | null {
  const number = asNumber(value);
  return number !== null && number > 0 ? number : null;
}

function positiveWhole(value: unknown): number | null {
  const number = positive(value);
  return number !== null && Number.isSafeInteger(number) ? number : null;
}

/** `$224,900`, `$1,495+/mo`, `From $988,901`, `$1.50M`, or a number; null otherwise. */
export function readPrice(value: unknown): number | null {
  if (typeof value === 'number') return positive(value);
  if (typeof value !== 'string') return null;
  const found = /\$\s*(\d[\d,]*(?:\.\d+)?)\s*([KMB])?(?![A-Za-z])/i.exec(value);
  if (!found?.[1]) return null;
  const scale = { k: 1e3, m: 1e6, b: 1e9 }[(found[2] ?? '').toLowerCase()] ?? 1;
  return positive(Math.round(Number(found[1].replaceAll(',', '')) * scale * 100) / 100);
}

const SQFT_PER_ACRE = 43_560;

/** `6,969 sqft`, `0.35 Acres` → square feet. */
function readArea(value: unknown): number | null {
  if (typeof value === 'number') return positive(value);
  const found = /^\s*(\d[\d,]*(?:\.\d+)?)\s*(sq\.?\s?ft|sqft|square feet|acres?|ac)\b/i.exec(
    typeof value === 'string' ? value : '',
  );
  if (!found?.[1]) return null;
  return inSquareFeet(Number(found[1].replaceAll(',', '')), found[2] ?? '');
}

/** An area in the unit that the site names. */
export function inSquareFeet(value: unknown, unit: string): number | null {
  const number = positive(value);
  if (number === null) return null;
  return /^ac/i.test(unit) ? Math.round(number * SQFT_PER_ACRE) : number;
}

/** `Studio` means no bedroom. */
export function readBeds(value: unknown): number | null {
  if (typeof value === 'string' && /^\s*studio\b/i.test(value)) return 0;
  const number = asNumber(value);
  return number !== null && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

export function lowest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** The value that all share; null when they differ. */
export function shared(values: readonly (number | null)[]): number | null {
  return values.length > 0 && values.every((value) => value === values[0]) ? (values[0] ?? null) : null;
}

export const positiveAt = fieldReader(positive);
export const positiveWholeAt = fieldReader(positiveWhole);
export const priceAt = fieldReader(readPrice);
export const areaAt = fieldReader(readArea);
export const bedsAt = fieldReader(readBeds);
