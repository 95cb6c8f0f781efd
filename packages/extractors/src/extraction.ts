import type { Json } from './json/jsonpath.ts';

/** The result of one field over all rows. */
export interface FieldReport {
  /** `items.price` */
  path: string;
  matched: boolean;
  /** Values that are not null. */
  value_count: number;
  /** The chosen source, as written in the schema. */
  selector: string | null;
  error?: string;
}

export interface FailedField {
  /** `items[3].price`; `html` when the page itself was rejected. */
  path: string;
  selector: string | null;
  reason: string;
}

export interface ExtractionFailure {
  /** `html_rejected`: the page exceeds a limit. The API returns `extraction failed` for both. */
  code: 'extraction_failed' | 'html_rejected';
  /** One line with each failed field and its selector. */
  detail: string;
  fields: FailedField[];
  /** A limit ended the extraction, so its fields say nothing of the page. */
  isStopped?: true;
  /** No source matched, although the schema has some that should. */
  isEmpty?: true;
}

/** One source that was tried for one field. */
export interface SourceTrace {
  kind: string;
  selector: string;
  matched: number;
  /** The first raw values, truncated. */
  raw: Json[];
  /** The first value after each step, `trim` included. */
  steps: { step: Json; value: Json }[];
  value?: Json;
  reason?: string;
  /** What a person should know of the value: that its text is ambiguous. */
  note?: string;
  won: boolean;
}

/** How one field of one row got its value. */
export interface FieldTrace {
  /** `items[0].price` */
  path: string;
  type: string;
  sources: SourceTrace[];
  /** Why the value is null, or which default was used. */
  reason?: string;
}

/** What an extraction reports beside its data. */
interface Reports {
  fields: FieldReport[];
  explain?: FieldTrace[];
  /** With the option `structure`, when the page could be read: see `structureOf`. */
  structure?: number[];
  /** The page seems to be filled by scripts, and a field found nothing or the schema has facts alone: a browser may read more. */
  looksScripted?: true;
  /**
   * Values that count from the time of the fetch ("3 hours ago"), by their place (`items.3.seen`): the length of the text's unit
   * in seconds. Values in lists of values are not among them. Absent without any.
   */
  relative?: Record<string, number>;
}

export type Extraction =
  | (Reports & { ok: true; data: Record<string, unknown> })
  | (Reports & {
      ok: false;
      failure: ExtractionFailure;
      /** With the option `partial`, when the page could be read: the data, with `null` for failed fields. */
      data?: Record<string, unknown>;
    });
