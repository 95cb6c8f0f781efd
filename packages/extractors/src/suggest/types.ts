import type { Field, ParserSchema } from '@gleaner/contracts';
import type { Page } from '../page.ts';

/** An example of a field: a text as a person sees it, a number in any form, null where the page has none; lists and rows of them. */
export type ExampleValue =
  | string
  | number
  | boolean
  | null
  | ExampleValue[]
  | { [name: string]: ExampleValue };

export type Examples = Readonly<Record<string, ExampleValue>>;

export interface SuggestPage extends Page {
  /** By field name. A field that is left out is not known on this page. */
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
  /** From 0 to 1: how likely the field is right on the site's other pages. */
  readonly confidence: number;
  readonly reason: string;
  readonly alternatives: readonly Alternative[];
  /** Pages (0-based) whose example the schema does not give, and why. */
  readonly missed: readonly { readonly page: number; readonly reason: string }[];
}

export interface Suggestion {
  /** null when no field could be found at all. */
  readonly schema: ParserSchema | null;
  readonly fields: readonly FieldSuggestion[];
}
