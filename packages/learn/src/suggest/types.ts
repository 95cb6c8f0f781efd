import type { Field, ParserSchema } from '@gleaner/contracts';
import type { Page } from '@gleaner/extractors';

/** An example: a displayed text, a number in any form, null where the page has none; or lists and rows of these. */
export type ExampleValue =
  | string
  | number
  | boolean
  | null
  | ExampleValue[]
  | { [name: string]: ExampleValue };

/** The values of one field by page; undefined where they are not known. */
export type ByPage = readonly (ExampleValue | undefined)[];

export type Examples = Readonly<Record<string, ExampleValue>>;

/** The examples of each page. */
export type ExamplesByPage = readonly (Examples | undefined)[];

export interface SuggestPage extends Page {
  /** Examples by field name. A field that is left out is unknown on this page. */
  readonly examples?: Examples | undefined;
}

export interface Alternative {
  readonly field: Field;
  readonly reason: string;
  /** From 0 to 1. */
  readonly confidence: number;
}

export interface FieldSuggestion {
  /** `items.price` */
  readonly path: string;
  /** From 0 to 1: the chance that the field is right on the site's other pages. */
  readonly confidence: number;
  readonly reason: string;
  readonly alternatives: readonly Alternative[];
  /** Pages (0-based) on which the schema doesn't return the example, and why. */
  readonly missed: readonly { readonly page: number; readonly reason: string }[];
}

export interface Suggestion {
  /** null when no field could be found at all. */
  readonly schema: ParserSchema | null;
  readonly fields: readonly FieldSuggestion[];
}
