import type { Field, FieldObject, Fields, ParserSchema, TransformStep } from '@gleaner/contracts';
import { formatFieldPath } from '@gleaner/contracts/text';
import { longForm } from '@gleaner/contracts/values';
import { ExpressionFault, compileSelector } from '@gleaner/html';
import { compileStep, type CompiledStep, type Shape } from '../transform/step.ts';
import { asObject } from '../output/field-shape.ts';
import { checkDateFormat } from '../values/date-format.ts';
import { compileAssert } from './compile-assert.ts';
import { aspectOf, PROSE } from './aspect.ts';
import { checkDefault } from './check-default.ts';
import { mustMatch, readsFactsAlone } from './must-match.ts';
import { createTypeReader } from './read-type.ts';
import { sourceParts, type FoundSource, type SourceObject } from './source.ts';
import { isJsonKind, type CompiledField, type CompiledParser, type CompiledSource } from './types.ts';

export interface SchemaFault {
  /** `fields.price.css[0]` */
  path: string;
  reason: string;
  /** 1-based column in the selector, XPath, JSONPath or pattern. */
  column?: number;
}

interface Compiling {
  readonly faults: SchemaFault[];
  readonly paths: string[];
}

/** The position of a field. */
interface FieldPosition {
  /** Path in the schema: `['fields', 'items', 'fields', 'price']`. */
  at: readonly (string | number)[];
  /** Path in the result: `items.price`. */
  path: string;
  inList: boolean;
  /** True when the enclosing match is certainly JSON. */
  inJson: boolean;
  /** Inside of elements that a field above matched. */
  inElement: boolean;
}

function refuse({ faults }: Compiling, at: readonly (string | number)[], reason: string): void {
  faults.push({ path: formatFieldPath(at), reason });
}

function addFault(compiling: Compiling, at: readonly (string | number)[], error: unknown): void {
  if (!(error instanceof ExpressionFault)) throw error;
  const { message, column } = error;
  const path = formatFieldPath([...at, ...error.at]);
  compiling.faults.push(column === undefined ? { path, reason: message } : { path, reason: message, column });
}

function attempt<T>(compiling: Compiling, at: readonly (string | number)[], run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    addFault(compiling, at, error);
    return undefined;
  }
}

const NEEDS_LIST = 'works on a list: take "all", or split the text in a step before';
const TRIM: CompiledStep = compileStep('trim', 'one');

function compileSteps(
  steps: readonly TransformStep[] | undefined,
  initial: Shape,
  compiling: Compiling,
  at: readonly (string | number)[],
): { steps: CompiledStep[]; shape: Shape } {
  // An empty list is the way to keep the text untouched.
  const compiled: CompiledStep[] = steps?.length === 0 ? [] : [{ ...TRIM, shape: initial }];
  let shape = initial;
  for (const [index, step] of (steps ?? []).entries()) {
    const needsList = step === 'unique' || (typeof step !== 'string' && 'join' in step);
    if (needsList && shape === 'one') refuse(compiling, [...at, 'transform', index], NEEDS_LIST);
    const before = shape;
    const made = attempt(compiling, [...at, 'transform', index], () => compileStep(step, before));
    if (made === undefined) continue;
    compiled.push(made);
    shape = made.shape;
  }
  return { steps: compiled, shape };
}

interface SourceContext {
  field: FieldObject;
  place: FieldPosition;
  compiling: Compiling;
}

function checkScopeKind(
  found: FoundSource,
  { place, compiling }: SourceContext,
  at: (string | number)[],
): void {
  if (place.inJson && (found.kind === 'css' || found.kind === 'xpath')) {
    refuse(
      compiling,
      at,
      'selects elements, but the enclosing match is JSON: use jsonld, or json without script',
    );
  }
  if (place.inElement && found.kind === 'json' && found.label.startsWith('$')) {
    refuse(compiling, at, 'needs script: without it the whole page is read as JSON, and here elements are');
  }
}

function checkFormat(format: string | undefined, at: FieldPosition['at'], compiling: Compiling): void {
  const fault = format === undefined ? undefined : checkDateFormat(format);
  if (fault) compiling.faults.push({ path: formatFieldPath([...at, 'format']), ...fault });
}

function isKnownLocale(locale: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale.replaceAll('_', '-')).length > 0;
  } catch {
    // A text that is not a language tag throws a RangeError.
    return false;
  }
}

function checkLocale(locale: string | undefined, at: FieldPosition['at'], compiling: Compiling): void {
  if (locale === undefined || isKnownLocale(locale)) return;
  const reason = `${locale} is not a known language; write a tag such as de or en-GB`;
  refuse(compiling, [...at, 'locale'], reason);
}

/** The compiled sources of one source object: one per selector of its fallback array. */
function compileSource(
  source: SourceObject | FieldObject,
  at: readonly (string | number)[],
  context: SourceContext,
): { sources: CompiledSource[]; shape: Shape } {
  const { field, compiling } = context;
  const wanted = source.locale ?? field.locale;
  const locale = wanted !== undefined && isKnownLocale(wanted) ? wanted : undefined;
  const format = source.format ?? field.format;
  // The field's own settings are checked once, with the field.
  if (source !== field) {
    checkFormat(source.format, at, compiling);
    checkLocale(source.locale, at, compiling);
  }
  const type = field.type ?? 'string';
  const initial: Shape = field.take === 'all' ? 'list' : 'one';
  const isWhole = type === 'json' || type === 'table' || type === 'html';
  const given = source.transform ?? (source === field ? undefined : field.transform);
  const place = source.transform === undefined && source !== field ? context.place.at : at;
  const { steps, shape } = compileSteps(given ?? (isWhole ? [] : undefined), initial, compiling, place);
  const sources: CompiledSource[] = [];
  for (const part of sourceParts(source)) {
    const partAt = [...at, ...part.path];
    const found = attempt(compiling, partAt, part.compile);
    if (found === undefined) continue;
    checkScopeKind(found, context, partAt);
    const attr = source.attr ?? field.attr;
    if (found.attribute !== undefined && source.attr !== undefined) {
      refuse(compiling, [...at, 'attr'], 'names an attribute, but the selector already ends in one');
    }
    const aspect = aspectOf(found.attribute ?? attr, type, given ?? []);
    const { kind, label, find, findLists, whyNothing } = found;
    const read = createTypeReader({ type, locale, format, isProse: !isJsonKind(kind) && PROSE.has(aspect) });
    sources.push({ kind, label, find, findLists, whyNothing, aspect, steps, read });
  }
  return { sources, shape };
}

function compileSources(context: SourceContext): { sources: CompiledSource[]; shape: Shape } {
  const { field, place, compiling } = context;
  if (field.any === undefined) return compileSource(field, place.at, context);
  const sources: CompiledSource[] = [];
  let shape: Shape | undefined;
  for (const [index, entry] of field.any.entries()) {
    const at = [...place.at, 'any', index];
    const object: SourceObject = longForm(entry);
    const before = compiling.faults.length;
    const made = compileSource(object, at, context);
    // A short form has no key of its own in the schema.
    if (typeof entry === 'string') {
      for (const fault of compiling.faults.slice(before)) fault.path = formatFieldPath(at);
    }
    shape ??= made.shape;
    if (made.shape !== shape) {
      refuse(compiling, at, 'gives a list where another source gives one value');
    }
    sources.push(...made.sources);
  }
  return { sources, shape: shape ?? 'one' };
}

function checkTable(
  field: FieldObject,
  sources: readonly CompiledSource[],
  compiling: Compiling,
  at: FieldPosition['at'],
): void {
  if (field.type !== 'table') return;
  if (sources.some(({ kind }) => kind !== 'css' && kind !== 'xpath')) {
    refuse(compiling, [...at, 'type'], 'table reads a <table> element: it needs css or xpath');
  }
  for (const key of ['transform', 'attr'] as const) {
    if (field[key] !== undefined) {
      refuse(compiling, [...at, key], 'cannot be combined with type table, which reads the whole element');
    }
  }
}

function compileField(
  name: string,
  written: Field,
  place: FieldPosition,
  compiling: Compiling,
): CompiledField {
  const index = compiling.paths.push(place.path) - 1;
  const before = compiling.faults.length;
  const field = asObject(written);
  const { sources, shape } = compileSources({ field, place, compiling });
  if (typeof written === 'string') {
    for (const fault of compiling.faults.slice(before)) fault.path = formatFieldPath(place.at);
  }
  checkTable(field, sources, compiling, place.at);
  checkFormat(field.format, place.at, compiling);
  checkLocale(field.locale, place.at, compiling);
  const isGroup = field.fields !== undefined && sources.length === 0 && field.any === undefined;
  const isJson = sources.length > 0 && sources.every(({ kind }) => isJsonKind(kind));
  const assert =
    attempt(compiling, [...place.at, 'assert', 'pattern'], () => compileAssert(field.assert)) ??
    compileAssert();
  if (assert.onFail === 'drop_row' && !place.inList) {
    refuse(
      compiling,
      [...place.at, 'assert', 'on_fail'],
      'drop_row needs a row to drop, but this field is not in a list',
    );
  }
  const { sibling } = field;
  const compiled: CompiledField = {
    name,
    path: place.path,
    index,
    take: field.take ?? 'first',
    type: field.type ?? 'string',
    shape,
    sources,
    choice: field.any === undefined ? 'match' : 'value',
    fields:
      field.fields === undefined
        ? undefined
        : compileFields(
            field.fields,
            {
              at: [...place.at, 'fields'],
              path: place.path,
              inList: place.inList || field.take === 'all',
              inJson: isGroup ? place.inJson : isJson,
              inElement: isGroup ? place.inElement : !isJson,
            },
            compiling,
          ),
    sibling:
      sibling === undefined
        ? undefined
        : attempt(compiling, [...place.at, 'sibling'], () => compileSelector(sibling)),
    required: field.required ?? false,
    fallback: field.default,
    assert,
  };
  const reason = checkDefault(compiled, field);
  if (reason !== undefined) refuse(compiling, [...place.at, 'default'], reason);
  return compiled;
}

function compileFields(fields: Fields, parent: FieldPosition, compiling: Compiling): CompiledField[] {
  return Object.entries(fields).map(([name, field]) =>
    compileField(
      name,
      field,
      { ...parent, at: [...parent.at, name], path: parent.path === '' ? name : `${parent.path}.${name}` },
      compiling,
    ),
  );
}

/** Compiles every selector, path and pattern of the schema and collects all faults. */
export function compileSchema(schema: ParserSchema): { parser: CompiledParser; faults: SchemaFault[] } {
  const compiling: Compiling = { faults: [], paths: [] };
  const fields = compileFields(
    schema.fields,
    { at: ['fields'], path: '', inList: false, inJson: false, inElement: false },
    compiling,
  );
  return {
    parser: {
      fields,
      paths: compiling.paths,
      mustMatch: mustMatch(schema, fields),
      readsFactsAlone: readsFactsAlone(fields),
    },
    faults: compiling.faults,
  };
}
