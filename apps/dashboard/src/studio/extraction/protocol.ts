import type { ParserSchema } from '@gleaner/contracts';
import type { Capture, FieldReport, FieldTrace, SchemaFault } from '@gleaner/extractors';
import type { FieldSuggestion } from '@gleaner/learn';

export type { Capture, FieldReport, FieldSuggestion, FieldTrace, SchemaFault };

/** A page that the studio keeps, as it was fetched. */
export interface KeptPage {
  id: string;
  /** Empty for pasted HTML without an address. */
  url: string;
  html: string;
  /** ISO 8601 */
  fetchedAt: string;
  /** The JSON responses that it loaded in a browser; undefined when no browser loaded it. */
  captures?: readonly Capture[] | undefined;
  /** The sample of the service that is this page. */
  sampleId?: string | undefined;
}

/** The outcome of the fields on one page. */
export interface PageResult {
  pageId: string;
  data: Record<string, unknown> | null;
  fields: FieldReport[];
  explain: FieldTrace[];
  /** Why a run over this page would fail: a required field is absent, an assertion broken, the page too hostile. */
  failure: string | null;
  /** What may fill fields that found nothing. */
  hint: string | null;
}

export interface Outcome {
  /** Faults of the schema; a schema with faults gives no results. */
  faults: SchemaFault[];
  pages: PageResult[];
  ms: number;
}

/** Fields that the engine proposes, with what they give on the first page. */
export interface Suggested {
  schema: ParserSchema | null;
  fields: FieldSuggestion[];
  data: Record<string, unknown> | null;
}
