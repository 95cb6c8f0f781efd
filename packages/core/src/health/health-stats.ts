import type { ErrorCode } from '@gleaner/contracts';
import type { FieldCounts, Passage } from './drift-test.ts';

export type HealthState = 'healthy' | 'degraded' | 'broken';

/** The key of the extraction as a whole, beside the fields. */
export const WHOLE_PAGE = '*';

export interface FieldHealth extends FieldCounts {
  /** Pages since the sum last stood at 0: they are learned when it does again, and forgotten after an alarm. */
  pending: FieldCounts;
  /** The CUSUM. */
  sum: number;
  /** The CUSUM of recovery, after an alarm. */
  recovery: number;
  isBroken: boolean;
}

/** `parser_health.stats` */
export interface HealthStats {
  fields: Record<string, FieldHealth>;
  failures: Partial<Record<ErrorCode, number>>;
  /** A page on which a broken field is missing. */
  example?: { url: string; run_id: string; seq: number };
}

/** A chunk's counts for one host between two flushes. */
export interface HealthDelta {
  host: string;
  runId: string;
  pages: number;
  failures: Partial<Record<ErrorCode, number>>;
  /** By path: pages, pages with a value, and what they do to the sum. */
  fields: Record<string, [pages: number, filled: number, passage: Passage]>;
  /** The last page that lacked a field which it should have. */
  suspect?: { url: string; seq: number };
}

/** The statistics by which workers judge pages. */
export interface Baseline {
  state: HealthState;
  fields: Readonly<Record<string, FieldHealth>>;
}
