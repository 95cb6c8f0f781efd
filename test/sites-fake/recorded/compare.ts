/** One expected value and what came instead of it. */
export interface Disagreement {
  path: string;
  expected: unknown;
  got: unknown;
}

export interface Agreement {
  compared: number;
  wrong: Disagreement[];
}

type Accept = Readonly<Record<string, readonly unknown[]>>;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function same(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'string' && typeof b === 'string' && a.trim() === b.trim());
}

function acceptOf(expected: unknown): Accept {
  const accept = isObject(expected) ? expected['_accept'] : undefined;
  return isObject(accept) ? (accept as Accept) : {};
}

/** Compares field by field what the expected value asserts; keys that begin with `_` are notes. */
export function compare(expected: unknown, got: unknown): Agreement {
  const agreement: Agreement = { compared: 0, wrong: [] };
  walk({ expected, got, path: '', accept: acceptOf(expected), agreement });
  return agreement;
}

interface Visit {
  expected: unknown;
  got: unknown;
  path: string;
  accept: Accept;
  agreement: Agreement;
}

function walk({ expected, got, path, accept, agreement }: Visit): void {
  if (Array.isArray(expected)) {
    const rows: unknown[] = Array.isArray(got) ? got : [];
    count(agreement, { path: `${path}.length`, expected: expected.length, got: rows.length });
    expected.forEach((value: unknown, index) =>
      walk({
        expected: value,
        got: rows[index],
        path: `${path}.${index}`,
        accept: acceptOf(value),
        agreement,
      }),
    );
  } else if (isObject(expected)) {
    const object = isObject(got) ? got : {};
    for (const [key, value] of Object.entries(expected)) {
      if (key.startsWith('_')) continue;
      walk({
        expected: value,
        got: object[key],
        path: path === '' ? key : `${path}.${key}`,
        accept,
        agreement,
      });
    }
  } else {
    const others = [...(accept[path] ?? []), ...(accept[path.replace(/^.*\.\d+\./, '')] ?? [])];
    const isAccepted = others.some(
      (other) => same(other, got) || JSON.stringify(other) === JSON.stringify(got),
    );
    count(agreement, { path, expected, got: isAccepted ? expected : got });
  }
}

function count(agreement: Agreement, { path, expected, got }: Disagreement): void {
  agreement.compared += 1;
  if (!same(expected, got)) agreement.wrong.push({ path, expected, got });
}
