import { ExpressionFault, selectElements } from '@gleaner/html';
import type { FieldTrace, SourceTrace } from '../extraction.ts';
import type { Json } from '../json/jsonpath.ts';
import type { Reading } from '../values/reading.ts';
import { countFault } from './compile-assert.ts';
import { readMatches } from './field-value.ts';
import type { PageState } from './page-state.ts';
import { isPdfPage, NO_SELECTORS } from '../parse-page.ts';
import { scopeOf } from './source.ts';
import {
  isFixedKind,
  isJsonKind,
  type CompiledField,
  type CompiledSource,
  type Match,
  type Scope,
} from './types.ts';
import { formatFieldPath } from '@gleaner/contracts/text';

/** The most rows of a list that are explained, and the most traces in total. */
const EXPLAINED_ROWS = 3;
const EXPLAINED_FIELDS = 2_000;

function traceField(state: PageState, field: CompiledField): FieldTrace | undefined {
  const { traces, trail } = state;
  if (traces === undefined || traces.length >= EXPLAINED_FIELDS) return undefined;
  if (trail.some((part) => typeof part === 'number' && part >= EXPLAINED_ROWS)) return undefined;
  const type = field.fields === undefined ? field.type : 'object';
  const trace: FieldTrace = { path: formatFieldPath([...trail, field.name]), type, sources: [] };
  traces.push(trace);
  return trace;
}

function traceSource(trace: FieldTrace | undefined, source: CompiledSource): SourceTrace | undefined {
  if (trace === undefined) return undefined;
  const made: SourceTrace = {
    kind: source.kind,
    selector: source.label,
    matched: 0,
    raw: [],
    steps: [],
    won: false,
  };
  trace.sources.push(made);
  return made;
}

/** The result of trying a field's sources. */
export interface Choice {
  source: CompiledSource | undefined;
  matches: Match[];
  reading: Reading<Json>;
  trace?: FieldTrace | undefined;
}

function limitOf({ take, assert }: CompiledField): number {
  if (take === 'all' || take === 'count') return Infinity;
  const isCounted = assert.minItems !== undefined || assert.maxItems !== undefined;
  return take === 'exists' && isCounted ? Infinity : 1;
}

function findMatches(
  state: PageState,
  field: CompiledField,
  source: CompiledSource,
  scope: Scope,
  trace: SourceTrace | undefined,
): Match[] | { reason: string } {
  try {
    const isJson = isJsonKind(source.kind);
    // The first JSON value may be null and the next one not.
    const limit = trace !== undefined ? Infinity : isJson && field.take === 'first' ? 100 : limitOf(field);
    const found = source.find(state, scope, limit);
    const matches = isJson ? found.filter((match) => match.kind !== 'json' || match.value !== null) : found;
    if (trace !== undefined) trace.matched = matches.length;
    return matches.length > 1 && field.take === 'first' ? matches.slice(0, 1) : matches;
  } catch (error) {
    if (error instanceof ExpressionFault) return { reason: error.message };
    throw error;
  }
}

/** The number for `min_items` and `max_items`. A single JSON array or table counts as a list. */
export function itemCount({ shape, type }: CompiledField, value: Json): number {
  return Array.isArray(value) && (shape === 'list' || type === 'json' || type === 'table') ? value.length : 1;
}

export function isTally({ take }: CompiledField): boolean {
  return take === 'count' || take === 'exists';
}

/** For `count` and `exists`: the number of matches, or whether there are any. Assertions on items count the matches. */
export function readTally({ take, assert }: CompiledField, matched: number): Reading<Json> {
  const value = take === 'count' ? matched : matched > 0;
  const reason = assert.checkValue?.(value) ?? countFault(assert, matched);
  return reason === undefined ? { state: 'value', value } : { state: 'invalid', reason };
}

function readAs(
  state: PageState,
  field: CompiledField,
  source: CompiledSource,
  matches: Match[],
  trace: SourceTrace | undefined,
): Reading<Json> {
  if (isTally(field)) return readTally(field, matches.length);
  return readMatches(state, field, source, matches, trace);
}

/** Whether an assertion of a nested field can drop rows. */
function canDropRows(fields: readonly CompiledField[]): boolean {
  return fields.some(
    (field) =>
      field.assert.onFail === 'drop_row' ||
      (field.take !== 'all' && field.fields !== undefined && canDropRows(field.fields)),
  );
}

/** Why the source's number of items makes `any` try its next source; undefined when the number is valid. */
function wrongCount(
  state: PageState,
  field: CompiledField,
  { matches, reading }: Choice,
): string | undefined {
  const { assert, fields } = field;
  if (assert.minItems === undefined && assert.maxItems === undefined) return undefined;
  if (fields === undefined) {
    return reading.state === 'value' && !isTally(field)
      ? countFault(assert, itemCount(field, reading.value))
      : undefined;
  }
  if (field.take !== 'all') return undefined;
  // Rows are read after a source is chosen. Until then, the number of matches is an upper bound.
  const most = matches.filter((match) => {
    const stepped = stepToSibling(state, field, match);
    return stepped !== undefined && scopeOf(stepped) !== undefined;
  }).length;
  const known = canDropRows(fields) ? { ...assert, maxItems: undefined } : assert;
  return countFault(known, most);
}

function whyNothing(state: PageState, { kind, whyNothing: why }: CompiledSource): string | undefined {
  return isPdfPage(state.page) && !isFixedKind(kind) ? NO_SELECTORS : why?.(state);
}

/** Tries the sources in order and takes the first that matches, or with `any` the first with a valid value. */
export function chooseSource(state: PageState, field: CompiledField, scope: Scope): Choice {
  const traces = traceField(state, field);
  let refused: Choice | undefined;
  for (const source of field.sources) {
    const trace = traceSource(traces, source);
    const matches = findMatches(state, field, source, scope, trace);
    if (!Array.isArray(matches)) {
      refused ??= {
        source,
        matches: [],
        reading: { state: 'invalid', reason: matches.reason },
        trace: traces,
      };
      if (trace !== undefined) trace.reason = matches.reason;
      continue;
    }
    if (matches.length === 0) {
      const why = trace === undefined ? undefined : whyNothing(state, source);
      if (trace !== undefined && why !== undefined) trace.reason = why;
      continue;
    }
    if (!isFixedKind(source.kind)) state.hasMatched = true;
    const reading: Reading<Json> =
      field.fields === undefined ? readAs(state, field, source, matches, trace) : { state: 'absent' };
    const choice: Choice = { source, matches, reading, trace: traces };
    const miscount = field.choice === 'value' ? wrongCount(state, field, choice) : undefined;
    if (trace !== undefined) {
      if (miscount !== undefined) trace.reason = miscount;
      else if (reading.state === 'value') trace.value = reading.value;
      else if (field.fields === undefined) trace.reason = reading.reason ?? 'matched, but without a value';
    }
    const isValid = miscount === undefined && (reading.state === 'value' || field.fields !== undefined);
    if (field.choice === 'match' || isValid) {
      if (trace !== undefined) trace.won = true;
      return choice;
    }
    const isAbsent = field.fields === undefined && refused?.reading.state === 'absent';
    if (refused === undefined || (isAbsent && reading.state !== 'absent')) {
      refused = choice;
    }
  }
  return refused ?? { source: undefined, matches: [], reading: { state: 'absent' }, trace: traces };
}

export function stepToSibling(state: PageState, field: CompiledField, match: Match): Match | undefined {
  if (field.sibling === undefined || match.kind !== 'element') return match;
  const [element] = selectElements(field.sibling, state.document, match.element, 1);
  return element === undefined ? undefined : { kind: 'element', element };
}
