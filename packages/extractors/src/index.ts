import type { ParserSchema } from '@gleaner/contracts';

/** A fetched or uploaded page. */
export interface Page {
  /** Bytes are decoded as a browser would: BOM, then `contentType`'s charset, then the meta prescan. */
  body: Uint8Array | string;
  contentType?: string;
  /** What was asked for. */
  url?: string;
  /** Where redirects led; the base of relative URLs unless the page has a `<base href>`. */
  finalUrl?: string;
  status?: number;
  /** ISO 8601 */
  fetchedAt?: string;
}

export interface FieldReport {
  /** `items.price` */
  path: string;
  matched: boolean;
  value_count: number;
  /** The source that won, as written in the schema. */
  selector: string | null;
  error?: string;
}

export interface ExtractionFailure {
  /** One line that names each field and its selector. */
  detail: string;
  fields: { path: string; selector: string | null; reason: string }[];
}

export type Extraction =
  | { ok: true; data: Record<string, unknown>; fields: FieldReport[]; explain?: unknown }
  | { ok: false; failure: ExtractionFailure; fields: FieldReport[]; explain?: unknown };

export interface SchemaFault {
  /** `fields.price.css[0]` */
  path: string;
  reason: string;
  /** 1-based column in the selector, XPath, JSONPath or pattern. */
  column?: number;
}

export type SchemaCheck = { ok: true; schema: ParserSchema } | { ok: false; faults: SchemaFault[] };

// Until the engine lands.
export const checkSchema = (input: unknown): SchemaCheck => ({ ok: true, schema: input as ParserSchema });

export const parserSchemaJsonSchema = (): Record<string, unknown> => ({});
