import type { AnySource } from '@gleaner/contracts';
import type { PageModel } from './page-model.ts';

export type SourceObject = Exclude<AnySource, string>;

/** Kinds of evidence. Fallbacks of one field are of different kinds, so that one change of a page does not break all. */
export type Family =
  | 'label'
  | 'id'
  | 'itemprop'
  | 'data'
  | 'class'
  | 'attribute'
  | 'tag'
  | 'look'
  | 'position'
  | 'shape'
  | 'jsonld'
  | 'microdata'
  | 'meta'
  | 'json'
  | 'page';

/** A way to find raw texts on a page, before anything is cut off them. */
export interface Candidate {
  /** Identity: the source as JSON. */
  readonly key: string;
  readonly source: SourceObject;
  readonly family: Family;
  /** From 0 to 1: how likely it holds on the site's other pages, before other pages were looked at. */
  readonly prior: number;
  /** The reason in words: “the text after the label “Price:””. */
  readonly why: string;
  /** Raw texts in page order, at most `limit`: what the engine's source would find. */
  readonly find: (model: PageModel, limit: number) => string[];
}

export function candidate(
  source: SourceObject,
  family: Family,
  prior: number,
  why: string,
  find: Candidate['find'],
): Candidate {
  return { key: JSON.stringify(source), source, family, prior, why, find };
}
