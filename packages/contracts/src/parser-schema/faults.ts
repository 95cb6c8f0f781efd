import type { z } from 'zod';
import { describeIssueText, formatFieldPath, foundAt, shownValue, typesOf } from '../text/issue-text.ts';
import { NO_SOURCE } from './rules.ts';
import { nearestName } from '../text/nearest-name.ts';
import { assertSchema } from './assert.ts';
import { fieldKeys } from './field-shape.ts';
import { EXPECTED, positionAt, type SchemaPosition } from './schema-positions.ts';
import { jsonSourceSchema, sourceKeys, xhrSourceSchema } from './source.ts';
import { isObject, isOneOf, STEP_KEYS, STEP_WORDS } from '../values/index.ts';

type Issue = z.core.$ZodIssue;

export interface ParserSchemaFault {
  /** `fields.price.css[0]` */
  path: string;
  reason: string;
}

function rootIssues(issues: readonly Issue[]): number {
  return issues.filter(({ path }) => path.length === 0).length;
}

/** The alternative of a union that the input most likely meant: the one with the fewest faults at the top level. */
function likeliest(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const ranked = branches
    .filter(
      (issues) => issues.length > 0 && !(issues[0]?.code === 'invalid_type' && issues[0].path.length === 0),
    )
    .toSorted((a, b) => rootIssues(a) - rootIssues(b) || a.length - b.length);
  const [best, second] = ranked;
  // With equally many faults at the top level, either could be meant.
  const isTie = best && second && rootIssues(best) > 0 && rootIssues(best) === rootIssues(second);
  return isTie ? undefined : best;
}

const KEYS: Readonly<Partial<Record<SchemaPosition, readonly string[]>>> = {
  schema: ['fields'],
  field: fieldKeys,
  source: sourceKeys,
  json: Object.keys(jsonSourceSchema.shape),
  xhr: Object.keys(xhrSourceSchema.shape),
  assert: Object.keys(assertSchema.shape),
};

/** Names from other tools, with our names. */
const ALIASES: Readonly<Record<string, string>> = {
  selector: 'css',
  select: 'css',
  query: 'css',
  attribute: 'attr',
  multiple: '"take": "all"',
  list: '"take": "all"',
  all: '"take": "all"',
  many: '"take": "all"',
  regex: '"transform": [{"regex": …}]',
  regexp: '"transform": [{"regex": …}]',
  replace: '"transform": [{"replace": …}]',
  fallback: 'default, or any for several sources',
  optional: 'nothing: fields are optional unless "required": true',
  items: '"take": "all" with fields',
  children: 'fields',
  min: '"assert": {"min": …}',
  max: '"assert": {"max": …}',
  pattern: '"assert": {"pattern": …}',
  enum: '"assert": {"enum": …}',
};

function unknownKey(key: string, place: SchemaPosition): string {
  const known = KEYS[place] ?? [];
  const aliases = place === 'field' || place === 'source' ? ALIASES : {};
  const near = nearestName(key, [...known, ...Object.keys(aliases)]);
  const meant = near === undefined ? undefined : (aliases[near] ?? near);
  return `is not a known key; ${meant === undefined ? `the keys here are ${known.join(', ')}` : `did you mean ${meant}?`}`;
}

/** Describes the fault of a step that matches no known form. */
function stepReason(value: unknown): string {
  if (typeof value === 'string') {
    const word = nearestName(value, STEP_WORDS);
    if (word !== undefined) return `${shownValue(value)} is not a step; did you mean "${word}"?`;
    const key = nearestName(value, STEP_KEYS);
    if (key !== undefined) return `${shownValue(value)} needs a value: {"${key}": …}`;
  } else if (isObject(value)) {
    const keys = Object.keys(value);
    const known = keys.filter((key) => isOneOf(STEP_KEYS, key));
    if (known.length > 1)
      return `has ${known.length} steps (${known.join(', ')}): write each as a separate object`;
    const [first = ''] = keys;
    if (isOneOf(STEP_WORDS, first)) return `{"${first}": …} is not a step; write "${first}"`;
    const key = nearestName(first, STEP_KEYS);
    if (key !== undefined && known.length === 0)
      return `{"${first}": …} is not a step; did you mean {"${key}": …}?`;
    if (first !== '')
      return `{${keys.map((name) => `"${name}": …`).join(', ')}} is not a step; the steps are ${EXPECTED.step}`;
  }
  return `${shownValue(value)} is not a step; the steps are ${EXPECTED.step}`;
}

function unionReason(
  value: unknown,
  place: SchemaPosition,
  errors: readonly (readonly Issue[])[] = [],
): string {
  if (place === 'step') return stepReason(value);
  const expected = place === 'value' ? typesOf(errors) : EXPECTED[place];
  return expected === '' ? `can’t be ${shownValue(value)}` : `must be ${expected}, not ${shownValue(value)}`;
}

const TEXT_OR_OBJECT = new Set<SchemaPosition>(['field', 'source', 'selectors']);

function flatten(issue: Issue, prefix: readonly PropertyKey[], input: unknown): ParserSchemaFault[] {
  const path = [...prefix, ...issue.path];
  const at = formatFieldPath(path);
  const place = positionAt(path);
  const value = foundAt(input, path);
  if (issue.code === 'invalid_union') {
    const branch = likeliest(issue.errors);
    // An empty or overlong text is a faulty selector, even where other types are allowed.
    if (branch !== undefined && (typeof value !== 'string' || TEXT_OR_OBJECT.has(place))) {
      return branch.flatMap((inner) => flatten(inner, path, input));
    }
    return [{ path: at, reason: unionReason(value, place, issue.errors) }];
  }
  if (issue.code === 'unrecognized_keys') {
    if (place === 'step') return [{ path: at, reason: stepReason(value) }];
    return issue.keys.map((key) => ({
      path: formatFieldPath([...path, key]),
      reason: unknownKey(key, place),
    }));
  }
  if (issue.code === 'invalid_key') {
    return issue.issues.map(({ message }) => ({ path: at, reason: `the name ${message}` }));
  }
  if (issue.code === 'invalid_type' && value !== undefined && place !== 'value') {
    return [{ path: at, reason: unionReason(value, place) }];
  }
  return [{ path: at, reason: describeIssueText(issue, value) }];
}

/** A mistyped key already explains why its field has no source. */
function isExplained({ path, reason }: ParserSchemaFault, faults: readonly ParserSchemaFault[]): boolean {
  return (
    reason.startsWith(NO_SOURCE) &&
    faults.some((other) => other.path.startsWith(`${path}.`) && other.reason.startsWith('is not a known key'))
  );
}

/** Flattens zod's issues: resolves unions to the form that was meant, and reports one fault per unknown key. */
export function parserSchemaFaults(error: z.ZodError, input: unknown): ParserSchemaFault[] {
  const faults = error.issues.flatMap((issue) => flatten(issue, [], input));
  return faults.filter((fault) => !isExplained(fault, faults));
}
