import { createHash } from 'node:crypto';
import { AppError, MAX_CHILDREN, toStorableJson } from '@gleaner/contracts';
import { compileDataPath, findValues, type DataPath, type FoundValue } from '@gleaner/extractors';
import type { Config } from '../../platform/config/load-config.ts';
import type { Children } from '../tasks/children.ts';
import { checkParameters, checkUrl, LONGEST_URL_TEXT, type CheckedInput } from '../tasks/check-input.ts';
import type { StageOutput, StageSpec } from './stage-spec.ts';

/** Values of ancestors that a task keeps, by name. */
export type Carried = Readonly<Record<string, unknown>>;

export interface StageResult {
  data: unknown;
  /** Relative URLs are resolved against it. */
  finalUrl: string;
  /** What the result's own task carries. */
  carried: Carried;
}

/** UTF-16 units of the children of one result: their inputs and short values, and each long value once. */
const MOST_LENGTH = 16 * 1024 * 1024;
/** A longer value stands once for all children that keep it. */
const LONG_LENGTH = 256;

/** Counts what children of one result need before they are made. @throws AppError extraction_failed */
type Spend = (length: number) => void;

function createSpend(): Spend {
  let left = MOST_LENGTH;
  return (length) => {
    left -= length;
    if (left >= 0) return;
    throw new AppError('extraction_failed', {
      detail:
        'what the page gives to further stages is larger than 16 MB: the inputs, with the values that they carry',
      hint: 'Carry shorter values, or name a path with fewer inputs.',
      retryable: false,
    });
  };
}

/** Finds what a stage's results give to further stages. Pure. @throws AppError extraction_failed: they are too large */
export type ChildMaker = (result: StageResult) => Children[];

interface CompiledOutput extends StageOutput {
  compiled: DataPath;
  values: { name: string; path: DataPath | null }[];
}

function compileOutput(output: StageOutput): CompiledOutput {
  return {
    ...output,
    compiled: compileDataPath(output.path),
    values: Object.entries(output.carried).map(([name, { path }]) => ({
      name,
      path: path === null ? null : compileDataPath(path),
    })),
  };
}

function sharedLength(a: FoundValue['location'], b: FoundValue['location']): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}

/** Chooses, among the values that a path found, the first with the longest common path with the child. */
function nearest(found: readonly FoundValue[], location: FoundValue['location']): unknown {
  let [best] = found;
  let length = best ? sharedLength(best.location, location) : 0;
  for (const value of found) {
    const shared = sharedLength(value.location, location);
    if (shared <= length) continue;
    best = value;
    length = shared;
  }
  return best?.value ?? null;
}

/** Values by the part of their location that ends at their last index, so that a child's own row is found at once. */
function createFinder(found: readonly FoundValue[]): (location: FoundValue['location']) => unknown {
  if (found.length < 50) return (location) => nearest(found, location);
  const byRow = new Map<string, FoundValue[]>();
  const rowOf = ({ location }: Pick<FoundValue, 'location'>): string =>
    JSON.stringify(location.slice(0, location.findIndex((step) => typeof step === 'number') + 1));
  for (const value of found) {
    const row = rowOf(value);
    const known = byRow.get(row);
    if (known) known.push(value);
    else byRow.set(row, [value]);
  }
  return (location) => nearest(byRow.get(rowOf({ location })) ?? found.slice(0, 1), location);
}

function resolveUrl(text: string, base: string): CheckedInput {
  const address = text.length > LONGEST_URL_TEXT ? null : URL.parse(text, base);
  return checkUrl(address === null ? text : /^[a-z][a-z0-9+.-]*:/i.test(text.trim()) ? text : address.href);
}

function checkChild(sites: Config['sites'], output: StageOutput, value: unknown, base: string): CheckedInput {
  if (output.api === null) {
    return typeof value === 'string' ? resolveUrl(value, base) : { fault: 'must be a URL' };
  }
  const isObject = typeof value === 'object' && value !== null;
  const input = isObject || output.as === null ? value : { [output.as]: value };
  return checkParameters(sites, output.api, input);
}

/** Writes what children carry. A value is turned into text once, and a long one is kept once. */
function createCarriedWriter(spend: Spend) {
  const texts = new Map<unknown, { text: string; isLong: boolean }>();
  const values: Record<string, string> = {};
  const write = (value: unknown): { text: string; isLong: boolean } => {
    const known = texts.get(value);
    if (known) return known;
    const text = toStorableJson(value);
    const isLong = text.length > LONG_LENGTH;
    const key = isLong ? createHash('sha256').update(text).digest('hex').slice(0, 32) : '';
    if (isLong && values[key] === undefined) {
      spend(text.length);
      values[key] = text;
    }
    const written = { text: isLong ? `"${key}"` : text, isLong };
    texts.set(value, written);
    return written;
  };
  return {
    values,
    /** An object of the values; or, when some are long, a list of it and of the keys of the long ones. */
    of: (named: readonly (readonly [name: string, value: unknown])[]): string => {
      const written = named.map(([name, value]) => ({ name: JSON.stringify(name), ...write(value) }));
      const join = (are: boolean): string =>
        `{${written.flatMap(({ name, text, isLong }) => (isLong === are ? [`${name}:${text}`] : [])).join(',')}}`;
      const text = written.some(({ isLong }) => isLong) ? `[${join(false)},${join(true)}]` : join(false);
      spend(text.length);
      return text;
    },
  };
}

function findChildren(
  sites: Config['sites'],
  output: CompiledOutput,
  result: StageResult,
  spend: Spend,
): Children {
  // A result's data is JSON.
  const data = result.data as Parameters<typeof findValues>[1];
  const seen = new Set<string>();
  const inputs: string[] = [];
  const places: FoundValue['location'][] = [];
  let refused = 0;
  for (const { value, location } of findValues(output.compiled, data)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === null || one === '') continue;
      const checked = checkChild(sites, output, one, result.finalUrl);
      if ('fault' in checked || inputs.length >= MAX_CHILDREN) {
        refused += 1;
        continue;
      }
      if (seen.has(checked.line)) continue;
      spend(checked.line.length);
      seen.add(checked.line);
      inputs.push(checked.line);
      places.push(location);
    }
  }
  const finders = output.values.map(({ name, path }) => ({
    name,
    find: path === null ? () => result.carried[name] ?? null : createFinder(findValues(path, data)),
  }));
  const writer = createCarriedWriter(spend);
  const carried =
    finders.length === 0
      ? null
      : places.map((place) => writer.of(finders.map(({ name, find }) => [name, find(place)])));
  return { run: output.run, inputs, carried, values: writer.values, refused };
}

/** @throws ExpressionFault for a path that was not checked */
export function createChildMaker(spec: StageSpec, sites: Config['sites']): ChildMaker {
  const outputs = spec.outputs.map(compileOutput);
  return (result) => {
    const spend = createSpend();
    return outputs
      .map((output) => findChildren(sites, output, result, spend))
      .filter(({ inputs, refused }) => inputs.length + refused > 0);
  };
}
