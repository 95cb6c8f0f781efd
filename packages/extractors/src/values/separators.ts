export type Separator = '.' | ',';

/** What one separator before three digits is; undefined where nothing says it. */
export type Role = 'group' | 'decimal' | undefined;

/** Digits as a number. */
export interface ReadDigits {
  /** With one `.` as the decimal point. */
  text: string;
  /** The decimal separator that the digits prove, or, when `isOpen`, the one that this reading implies. */
  decimal?: Separator;
  /** One separator before three digits, which could be a group or a part. */
  isOpen?: true;
  /** Nothing says what the open separator is. */
  isUnknown?: true;
}

/** Groups of three digits; after a comma also of two and at last three, as in India. */
function areGroups(parts: readonly string[], separator: Separator): boolean {
  const [first = '', ...rest] = parts;
  if (rest.length === 0 || first.length === 0 || first.length > 3 || rest.at(-1)?.length !== 3) return false;
  if (rest.every(({ length }) => length === 3)) return true;
  return separator === ',' && first.length <= 2 && rest.slice(0, -1).every(({ length }) => length === 2);
}

/** Groups between apostrophes, as in Switzerland, or underscores. */
const MARKED = /^\d{1,3}(?:(?:'\d{3})+|(?:_\d{3})+)(?:[.,]\d+)?$/;

function other(separator: Separator): Separator {
  return separator === '.' ? ',' : '.';
}

/**
 * Undefined for separators that are invalid (1.2.3).
 * @param ask what the only separator is when three digits follow it
 * @param isData whether a point that nothing settles is the decimal one; a comma groups, and in prose a point too
 */
export function readDigits(
  token: string,
  ask: (separator: Separator) => Role,
  isData = false,
): ReadDigits | undefined {
  if (/\s[.,]|[.,]\s/.test(token) || (/['_]/.test(token) && !MARKED.test(token))) return undefined;
  const text = token.replaceAll(/[ '_]/g, '');
  const hasDot = text.includes('.');
  const hasComma = text.includes(',');
  if (!hasDot && !hasComma) return { text };
  if (hasDot && hasComma) {
    const decimal = text.lastIndexOf('.') > text.lastIndexOf(',') ? '.' : ',';
    const [whole = '', fraction = '', ...rest] = text.split(decimal);
    if (rest.length > 0 || !areGroups(whole.split(other(decimal)), other(decimal))) return undefined;
    return { text: `${whole.replaceAll(other(decimal), '')}.${fraction}`, decimal };
  }
  const separator = hasDot ? '.' : ',';
  const parts = text.split(separator);
  if (parts.length > 2)
    return areGroups(parts, separator) ? { text: parts.join(''), decimal: other(separator) } : undefined;
  const [whole = '', fraction = ''] = parts;
  const isOpen = fraction.length === 3 && /^[1-9]\d{0,2}$/.test(whole) && !/[ '_]/.test(token);
  if (!isOpen) return { text: `${whole}.${fraction}`, decimal: separator };
  const role = ask(separator);
  const unknown = role === undefined ? { isUnknown: true as const } : {};
  return (role ?? (isData && hasDot ? 'decimal' : 'group')) === 'decimal'
    ? { text: `${whole}.${fraction}`, decimal: separator, isOpen, ...unknown }
    : { text: whole + fraction, decimal: other(separator), isOpen, ...unknown };
}
