import { invalid } from '../platform/invalid-request.ts';
import { isObject } from '@gleaner/contracts/values';
import {
  type AppError,
  describeIssue,
  findUnstorable,
  formatFieldPath,
  nearestName,
  UNSTORABLE,
} from '@gleaner/contracts';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';

/** Pages may contain any text; the parser's threads read them like a browser. */
const PAGE_FIELD = 'html';
/** Named in one error. */
const MAX_FAULTS = 20;
/** Items of a list that are parsed without a pause. */
const AT_ONCE = 250;

function withoutPage(data: unknown): unknown {
  if (!isObject(data)) return data;
  const { [PAGE_FIELD]: _, ...others } = data;
  return others;
}

/** An unknown name at the top of a part, with the nearest that is known. */
function nearestOf(schema: z.ZodType, field: string): string {
  if (!('shape' in schema)) return '';
  const nearest = nearestName(field, Object.keys(schema.shape as object));
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}

/**
 * Parses one part of a request.
 * @param root the name of the field when the whole part is invalid: body, query
 * @throws AppError invalid_request with the first invalid field and a list of the others
 */
export function validate(schema: z.ZodType | undefined, value: unknown, root: string): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw refusal(schema, parsed.error.issues, value, root);
  refuseUnstorable(parsed.data, root);
  return parsed.data;
}

/**
 * Parses a body. Its long lists are parsed some items at a time, so that other work runs in between, and only up to the
 * first faults: a list of a million wrong items would have a million faults.
 * @throws AppError as `validate` does
 */
export async function validateBody(schema: z.ZodType | undefined, value: unknown): Promise<unknown> {
  const lists = schema === undefined ? [] : longLists(schema, value);
  if (schema === undefined || lists.length === 0) return validate(schema, value, 'body');
  const read: Record<string, unknown> = {};
  const beginnings: Record<string, unknown> = {};
  for (const long of lists) {
    read[long.field] = await readList(schema, value, long);
    beginnings[long.field] = long.list.slice(0, AT_ONCE);
  }
  const rest = validate(schema, { ...(value as object), ...beginnings }, 'body');
  return { ...(rest as object), ...read };
}

interface LongList {
  field: string;
  list: readonly unknown[];
  of: z.ZodArray;
}

const LENGTHS = new Set(['min_length', 'max_length']);

function checksOf({ _zod: { def } }: z.ZodType): z.core.$ZodCheckDef[] {
  return (def.checks ?? []).map((check) => check._zod.def);
}

/** The long lists at the top of a value, if nothing but their length is checked of them as a whole. */
function longLists(schema: z.ZodType, value: unknown): LongList[] {
  if (!(schema instanceof z.ZodObject) || checksOf(schema).length > 0 || !isObject(value)) return [];
  return Object.entries(value).flatMap(([field, list]: [string, unknown]) => {
    const member: unknown = Object.hasOwn(schema.shape, field) ? schema.shape[field] : undefined;
    const of = member instanceof z.ZodOptional ? member.unwrap() : member;
    if (!Array.isArray(list) || list.length <= AT_ONCE || !(of instanceof z.ZodArray)) return [];
    return checksOf(of).every(({ check }) => LENGTHS.has(check)) ? [{ field, list, of }] : [];
  });
}

async function readList(
  schema: z.ZodType,
  value: unknown,
  { field, list, of }: LongList,
): Promise<unknown[]> {
  const refuse = (issues: readonly z.core.$ZodIssue[], from: number): AppError => {
    const placed = issues.map((issue) => {
      const [index, ...path] = issue.path;
      return { ...issue, path: index === undefined ? [field] : [field, Number(index) + from, ...path] };
    });
    return refusal(schema, placed, value, 'body');
  };
  const size = z.array(z.unknown()).max(mostItems(of)).safeParse(list);
  if (!size.success) throw refuse(size.error.issues, 0);
  const items = z.array(of.element);
  const read: unknown[] = [];
  for (let from = 0; from < list.length; from += AT_ONCE) {
    const parsed = items.safeParse(list.slice(from, from + AT_ONCE));
    if (!parsed.success) throw refuse(parsed.error.issues, from);
    if (findUnstorable(parsed.data) !== undefined) refuseUnstorable({ [field]: list }, 'body');
    for (const item of parsed.data) read.push(item);
    await setImmediate();
  }
  return read;
}

function mostItems(list: z.ZodArray): number {
  return Math.min(...checksOf(list).map((check) => ('maximum' in check ? Number(check.maximum) : Infinity)));
}

function refusal(
  schema: z.ZodType,
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
  root: string,
): AppError {
  const wrongTypes = new Set(
    issues.flatMap(({ code, path }) => (code === 'invalid_type' ? [formatFieldPath(path)] : [])),
  );
  // The length of a text where a list belongs says nothing.
  const telling = issues.filter(
    ({ code, path }) => code === 'invalid_type' || !wrongTypes.has(formatFieldPath(path)),
  );
  const faults = telling.slice(0, MAX_FAULTS).map((issue) => {
    const { field, detail } = describeIssue(issue, value);
    const isUnknown = issue.code === 'unrecognized_keys' && issue.path.length === 0;
    return { field, detail: isUnknown ? `${detail}${nearestOf(schema, field)}` : detail };
  });
  const [first] = faults;
  return invalid(
    first === undefined || first.field === '' ? root : first.field,
    faults.map(({ field, detail }) => `${field === '' ? root : field}: ${detail}`).join('; '),
  );
}

/** @throws AppError invalid_request */
function refuseUnstorable(data: unknown, root: string): void {
  const unstorable = findUnstorable(withoutPage(data));
  if (unstorable === undefined) return;
  throw invalid(unstorable === '' ? root : unstorable, UNSTORABLE);
}
