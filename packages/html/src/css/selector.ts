import type { PageDocument } from '../tree/document.ts';
import type { TreeElement } from '../tree/tree.ts';

export type Combinator = ' ' | '>' | '+' | '~';

/** One selection over one page. */
export interface Matching {
  readonly document: PageDocument;
  /** The element that the selector is relative to; null for the whole page. */
  readonly scope: TreeElement | null;
  /** Tells remembered results of this scope from those of another one. */
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

/** `a.b[c]:not(d)`: what one element must be. */
export interface Compound {
  readonly key: Key;
  readonly tests: readonly Test[];
  /** How it hangs on the compound to its left; on the scope, for the first one. */
  readonly combinator: Combinator;
}

/** `a > b c`. An object of its own per compound serves as the key of remembered results. */
export interface Complex {
  readonly compounds: readonly Compound[];
  /** False inside :is() and :not(), whose ancestors may lie outside the scope. */
  readonly isScoped: boolean;
}

export type SelectorList = readonly Complex[];
