import type { SourceObject } from '@gleaner/extractors/parts';
import type { PageModel } from '../page/page-model.ts';

/** Kinds of evidence. A field's fallbacks use different kinds, so that one change of the page doesn't break all. */
export type Family =
  | 'label'
  | 'id'
  | 'itemprop'
  | 'data'
  | 'class'
  | 'attribute'
  | 'tag'
  | 'position'
  | 'shape'
  | 'jsonld'
  | 'microdata'
  | 'meta'
  | 'json'
  | 'page';

/** A way to find raw texts on a page, before they are trimmed to the value. */
export interface Candidate {
  /** Identifies the candidate: its source as JSON. */
  readonly key: string;
  readonly source: SourceObject;
  readonly family: Family;
  /** From 0 to 1: the chance that it works on the site's other pages, before any were checked. */
  readonly prior: number;
  /** Whether it finds whatever stands at its place, so that on other pages it may find another field's value. */
  readonly isLoose: boolean;
  /** The label that it starts at. */
  readonly anchor: string | undefined;
  /** The reason in words: “the text after the label “Price:””. */
  readonly why: string;
  /** At most `limit` raw texts in document order, as the engine's source would find them. */
  readonly find: (model: PageModel, limit: number) => string[];
}

export function candidate(
  source: SourceObject,
  family: Family,
  prior: number,
  why: string,
  find: Candidate['find'],
  { isLoose = false, anchor }: { readonly isLoose?: boolean; readonly anchor?: string } = {},
): Candidate {
  return { key: JSON.stringify(source), source, family, prior, why, find, isLoose, anchor };
}
