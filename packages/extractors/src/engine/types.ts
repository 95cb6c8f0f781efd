import type { FieldType, PageFact, SourceKind, Take, FailureEffect } from '@gleaner/contracts';
import type { SelectorList, TreeElement } from '@gleaner/html';
import type { Json } from '../json/jsonpath.ts';
import type { CompiledStep, Scalar, Shape } from '../transform/step.ts';
import type { Reading } from '../values/reading.ts';
import type { PageState } from './page-state.ts';

/** A match of a source, before it is converted to a value. */
export type Match =
  | { kind: 'element'; element: TreeElement }
  | { kind: 'json'; value: Json }
  /** `isPlain`: the text is not HTML, even if it looks like it. `owner`: the element whose attribute it is. */
  | { kind: 'text'; value: Scalar; isPlain?: boolean; owner?: TreeElement };

/** The scope of nested selectors: an element, the whole page (null), or a JSON value. */
export type Scope = { kind: 'element'; element: TreeElement | null } | { kind: 'json'; value: Json };

const FIXED_KINDS = new Set<SourceKind>(['const', 'page']);

/** Whether sources of this kind give a value on every page: a match of theirs says nothing of the page's content. */
export function isFixedKind(kind: SourceKind): boolean {
  return FIXED_KINDS.has(kind);
}

/** The label of a source that is a fact of the page. */
export function factLabel(fact: PageFact): string {
  return `page ${fact}`;
}

const JSON_KINDS = new Set<SourceKind>(['json', 'jsonld', 'microdata', 'xhr']);

/** Whether sources of this kind match JSON values. */
export function isJsonKind(kind: SourceKind): boolean {
  return JSON_KINDS.has(kind);
}

/** How `attr` and the type read an element. */
export type Aspect =
  | 'text'
  | 'number_text'
  | 'own_text'
  | 'raw_text'
  | 'html'
  | 'markdown'
  | 'inner_html'
  | 'url'
  | 'element'
  | { attribute: string };

export interface CompiledSource {
  readonly kind: SourceKind;
  /** The text in the schema, for reports. */
  readonly label: string;
  readonly find: (state: PageState, scope: Scope, limit: number) => Match[];
  /** The lists whose items `find` gives; absent for sources that don't read the items of JSON lists. */
  readonly findLists?: ((state: PageState, scope: Scope, limit: number) => Match[]) | undefined;
  /** A more specific reason for finding nothing, if the source knows one. */
  readonly whyNothing?: ((state: PageState) => string | undefined) | undefined;
  readonly aspect: Aspect;
  readonly steps: readonly CompiledStep[];
  /** Reads one value as the field's type. */
  readonly read: (value: Scalar, state: PageState) => Reading<Json>;
}

export interface CompiledAssert {
  /** Why a single value fails the assertion; undefined when it passes. */
  readonly checkValue: ((value: Json) => string | undefined) | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly onFail: FailureEffect;
}

export interface CompiledField {
  readonly name: string;
  /** `items.price` */
  readonly path: string;
  /** Position of its report. */
  readonly index: number;
  readonly take: Take;
  readonly type: FieldType;
  /** Whether the value is a list, after the transforms. */
  readonly shape: Shape;
  readonly sources: readonly CompiledSource[];
  /** `match`: the first source with a match counts. `value`: the first with a valid typed value (`any`). */
  readonly choice: 'match' | 'value';
  readonly fields: readonly CompiledField[] | undefined;
  readonly sibling: SelectorList | undefined;
  readonly required: boolean;
  readonly fallback: Json | undefined;
  readonly assert: CompiledAssert;
}

/** A compiled schema. It holds no page and can be used for any number of pages. */
export interface CompiledParser {
  readonly fields: readonly CompiledField[];
  /** Paths of all fields, in the order of their reports. */
  readonly paths: readonly string[];
  /** Whether a page on which no source matches is no page of this parser. */
  readonly mustMatch: boolean;
  /** Whether it reads facts of the content alone. */
  readonly readsFactsAlone: boolean;
}
