import type { PageDocument } from '../tree/document.ts';
import type { TreeElement } from '../tree/tree.ts';

export type Combinator = ' ' | '>' | '+' | '~';

/** One selection over one page. */
export interface Matching {
  readonly document: PageDocument;
  /** The element that the selector is relative to; null for the whole page. */
  readonly scope: TreeElement | null;
  /** Distinguishes memoised results of this scope from those of other scopes. */
  readonly stamp: number;
}

export type Test = (element: TreeElement, matching: Matching) => boolean;

/** Where candidates for a compound are looked up. */
export type Key =
  | { kind: 'id'; name: string }
  | { kind: 'class'; name: string }
  | { kind: 'tag'; name: string }
  | { kind: 'all' }
  | { kind: 'scope' };

/** `a.b[c]:not(d)`: the tests for one element. */
export interface Compound {
  readonly key: Key;
  readonly tests: readonly Test[];
  /** Its combinator with the compound to its left; for the first one, with the scope. */
  readonly combinator: Combinator;
}

/** `a > b c`. Each compound object is the memo key of its results. */
export interface Complex {
  readonly compounds: readonly Compound[];
  /** False inside :is() and :not(), whose ancestors may lie outside the scope. */
  readonly isScoped: boolean;
}

export type SelectorList = readonly Complex[];
