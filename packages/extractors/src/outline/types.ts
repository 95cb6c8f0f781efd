import type { FieldObject } from '@gleaner/contracts';

export interface HeadingOutline {
  /** 1 to 6. */
  readonly level: number;
  readonly text: string;
  /** A CSS selector that the page matches once; null when none was found. */
  readonly selector: string | null;
}

export interface BlockOutline {
  /** A field of the schema language that reads all records of the block. */
  readonly field: FieldObject;
  /** How many records the field gives on this page. */
  readonly count: number;
  /** The first records, as the field gives them. */
  readonly samples: readonly unknown[];
}

export interface ValueOutline {
  /** A CSS selector that the page matches once. */
  readonly selector: string;
  readonly sample: string;
}

export interface DataOutline {
  readonly kind: 'jsonld' | 'microdata' | 'json';
  /** For `json`: the selector or pattern that finds the script, as `json.script` takes it. */
  readonly script: string | null;
  /** JSONPath of the entity. The path of a value is this text and the key of `values`. */
  readonly path: string;
  readonly values: Readonly<Record<string, string>>;
}

export interface MetaOutline {
  readonly name: string;
  readonly content: string;
}

/** What a page holds, and selectors that read it, within a budget. Every text is the page's own. */
export interface PageOutline {
  readonly title: string | null;
  readonly language: string | null;
  /** Distinct addresses that the page links to. */
  readonly link_count: number;
  readonly headings: readonly HeadingOutline[];
  readonly blocks: readonly BlockOutline[];
  readonly values: readonly ValueOutline[];
  readonly data: readonly DataOutline[];
  readonly meta: readonly MetaOutline[];
  /** The page's visible text, or its beginning. */
  readonly text: string;
  /** How many entries of each list, and characters of `text`, did not fit. */
  readonly left_out: Readonly<Record<OutlineList | 'text', number>>;
}

export type OutlineList = 'headings' | 'blocks' | 'values' | 'data' | 'meta';
