import type { ErrorCode, HealthState } from '@gleaner/contracts';
import { missingRate, stepsOf, type FieldCounts, type Passage, type Steps } from './drift-test.ts';
import type { StructureHealth } from './structure.ts';
import { limitsOf, type ValueLimits } from './value-profile.ts';
import type { ValueHealth, ValuesSeen } from './value-test.ts';

/** The key of the extraction as a whole, beside the fields. */
export const WHOLE_PAGE = '*';

/** Number of hosts whose health is kept for each version of a parser; all others count together. */
export const MAX_HOSTS = 100;
/** The name of the others; no host has it. */
export const OTHER_HOSTS = '*';

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
  /** The reader of the pages, for `readerOf`. */
  reader?: number;
  fields: Record<string, FieldHealth>;
  failures: Partial<Record<ErrorCode, number>>;
  /** Absent until a page with a fingerprint comes. */
  structure?: StructureHealth;
  /** A page on which a broken field is missing. */
  example?: { url: string; run_id: string; seq: number };
  /** The run whose pages ended the healthy state. Absent in alarms of earlier versions. */
  alarmRun?: string;
  /**
   * Fields that the version or reader before read until they went missing, and that this one has never read: since when.
   * Without the key where there are none.
   */
  absent?: Record<string, string>;
}

/** A chunk's counts for one host between two flushes. */
export interface HealthDelta {
  /** The reader of the pages, for `readerOf`. */
  reader?: number;
  host: string;
  runId: string;
  pages: number;
  failures: Partial<Record<ErrorCode, number>>;
  /** For each path: pages, pages with a value, their effect on the sum, and the values in the order of their pages. */
  fields: Record<string, [pages: number, filled: number, passage: Passage, values?: ValuesSeen]>;
  /** Fingerprints of some of the pages, in their order. */
  structures?: (readonly number[])[];
  /** The last page that lacked a field which it should have. */
  suspect?: { url: string; seq: number };
}

/** How a field of a page is judged by what was learned. */
export interface FieldBaseline {
  /** The rate at which it is missing, and a page's steps of the CUSUM; undefined while that can't be tested. */
  missing: { rate: number; steps: Steps } | undefined;
  limits: ValueLimits | undefined;
}

/** The statistics by which workers judge pages. */
export interface Baseline {
  state: HealthState;
  fields: ReadonlyMap<string, FieldBaseline>;
}

export function toBaseline(state: HealthState, fields: HealthStats['fields']): Baseline {
  const judged = Object.entries(fields).map(([path, field]): [string, FieldBaseline] => {
    const rate = missingRate(field);
    return [
      path,
      {
        missing: rate === undefined ? undefined : { rate, steps: stepsOf(rate) },
        limits: field.values && limitsOf(field.values.known),
      },
    ];
  });
  return { state, fields: new Map(judged) };
}
