import type { ErrorCode } from '@gleaner/contracts';
import type { FieldCounts, Passage } from './drift-test.ts';
import { limitsOf, type ValueLimits } from './value-profile.ts';
import type { ValueHealth, ValuesSeen } from './value-test.ts';

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
  /** It is missing on too many pages. */
  isBroken: boolean;
  /** Absent until a page with a note of its value comes. */
  values?: ValueHealth;
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
  /** By path: pages, pages with a value, what they do to the sum, and the values in the order of their pages. */
  fields: Record<string, [pages: number, filled: number, passage: Passage, values?: ValuesSeen]>;
  /** The last page that lacked a field which it should have. */
  suspect?: { url: string; seq: number };
}

/** The statistics by which workers judge pages. */
export interface Baseline {
  state: HealthState;
  fields: Readonly<Record<string, FieldHealth>>;
  /** Of the fields with values. */
  limits: ReadonlyMap<string, ValueLimits>;
}

export function toBaseline(state: HealthState, fields: HealthStats['fields']): Baseline {
  const limits = Object.entries(fields).flatMap(([path, { values }]) =>
    values === undefined ? [] : [[path, limitsOf(values.known)] as const],
  );
  return { state, fields, limits: new Map(limits) };
}
