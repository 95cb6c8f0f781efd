import type { FieldObject } from '@gleaner/contracts';

/** A step into JSON: a member, or an element that a type or a number picks. */
type Step = string | number;

function member(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name.replaceAll(/['\\]/g, String.raw`\$&`)}']`;
}

function typeOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const type = (value as Record<string, unknown>)['@type'];
  return typeof type === 'string' ? type : undefined;
}

/**
 * A JSONPath to a value. Elements of the outermost list are picked by their `@type` where they have one: their order
 * differs between pages.
 */
export function toJsonPath(root: unknown, steps: readonly Step[]): string {
  let path = '$';
  let value = root;
  for (const [index, step] of steps.entries()) {
    const inner = (value as Record<Step, unknown> | null | undefined)?.[step];
    const type = typeOf(inner);
    if (typeof step === 'number') {
      const isSole = Array.isArray(value) && value.filter((one) => typeOf(one) === type).length === 1;
      path +=
        index === 0 && type !== undefined && isSole
          ? `[?@['@type'] == '${type.replaceAll("'", String.raw`\'`)}']`
          : `[${step}]`;
    } else path += member(step);
    value = inner;
  }
  return path;
}

/** A field that reads a value of the page's data. */
export function fieldFromData(
  source: 'jsonld' | 'microdata' | { script: string },
  path: string,
  value: unknown,
): FieldObject {
  const shape: FieldObject =
    typeof value === 'number'
      ? { type: Number.isInteger(value) ? 'integer' : 'number' }
      : typeof value === 'boolean'
        ? { type: 'boolean' }
        : typeof value === 'object' && value !== null
          ? { type: 'json' }
          : {};
  if (source === 'jsonld') return { jsonld: path, ...shape };
  if (source === 'microdata') return { microdata: path, ...shape };
  return { json: { script: source.script, path }, ...shape };
}
