import type { ErrorCode } from '@gleaner/contracts';
import type { FieldReport } from '@gleaner/extractors';
import { addPage, missingRate, NO_PASSAGE, stepsOf } from './drift-test.ts';
import { WHOLE_PAGE, type Baseline, type HealthDelta } from './health-stats.ts';

/** A field that is missing less often than this makes its page suspect when it is missing. */
const RARELY_MISSING = 0.06;
const MAX_FIELDS = 200;

/** A task's evidence about its parser. */
export interface PageSeen {
  host: string;
  url: string;
  seq: number;
  /** Absent: the page was not fetched, so it is no evidence about the parser. */
  fields: readonly FieldReport[] | undefined;
  /** Undefined after a success. */
  error: ErrorCode | undefined;
  baseline: Baseline | undefined;
}

export interface Verdict {
  /** Why the page looks wrong. */
  suspicion: string | undefined;
  /** The parser is known to be broken on this host. */
  isKnown: boolean;
  isEmpty: boolean;
}

function hasValue({ value_count: count, matched }: FieldReport): boolean {
  return matched && count > 0;
}

/** Whether a page's row should be written. */
export function judgePage({ fields = [], baseline }: PageSeen): Verdict {
  const isEmpty = fields.every((field) => !hasValue(field));
  if (baseline === undefined) return { suspicion: undefined, isKnown: false, isEmpty };
  const missing = fields.filter((field) => {
    const known = baseline.fields[field.path];
    const rate = known === undefined ? undefined : missingRate(known);
    return !hasValue(field) && rate !== undefined && rate <= RARELY_MISSING;
  });
  const isKnown = baseline.state !== 'healthy';
  const names = missing.map(({ path }) => path).slice(0, 10);
  const suspicion = isKnown
    ? `the parser is ${baseline.state} on this host`
    : names.length > 0
      ? `no value for ${names.join(', ')}`
      : undefined;
  return { suspicion, isKnown, isEmpty };
}

function addField(
  delta: HealthDelta,
  path: string,
  isFilled: boolean,
  baseline: Baseline | undefined,
): boolean {
  const known = baseline?.fields[path];
  const rate = known === undefined ? undefined : missingRate(known);
  const steps = rate === undefined ? undefined : stepsOf(rate);
  const [pages, filled, passage] = delta.fields[path] ?? [0, 0, NO_PASSAGE];
  const next = steps === undefined ? passage : addPage(passage, isFilled ? steps.filled : steps.missing);
  delta.fields[path] = [pages + 1, filled + (isFilled ? 1 : 0), next];
  return steps !== undefined && !isFilled;
}

/** Deltas by host, in the order in which the pages ended. */
export function makeDeltas(runId: string, seen: readonly PageSeen[]): HealthDelta[] {
  const deltas = new Map<string, HealthDelta>();
  for (const { host, url, seq, fields, error, baseline } of seen) {
    let delta = deltas.get(host);
    if (delta === undefined) {
      delta = { host, runId, pages: 0, failures: {}, fields: {} };
      deltas.set(host, delta);
    }
    if (error !== undefined) delta.failures[error] = (delta.failures[error] ?? 0) + 1;
    if (fields === undefined) continue;
    delta.pages += 1;
    let isSuspect = addField(delta, WHOLE_PAGE, error === undefined, baseline);
    for (const field of fields.slice(0, MAX_FIELDS)) {
      if (addField(delta, field.path, hasValue(field), baseline)) isSuspect = true;
    }
    if (isSuspect) delta.suspect = { url, seq };
  }
  return [...deltas.values()];
}
