import type { ErrorCode } from '@gleaner/contracts';
import type { NotedReport } from '@gleaner/extractors';
import { addPage, missingRate, NO_PASSAGE, stepsOf } from './drift-test.ts';
import { WHOLE_PAGE, type Baseline, type HealthDelta } from './health-stats.ts';
import { isSuspectValue, noteSeen } from './value-test.ts';

/** A field that is missing less often than this makes its page suspect when it is missing. */
const RARELY_MISSING = 0.06;
const MAX_FIELDS = 200;

/** A task's evidence about its parser. */
export interface PageSeen {
  host: string;
  url: string;
  seq: number;
  /** Absent: the page was not fetched, so it is no evidence about the parser. */
  fields: readonly NotedReport[] | undefined;
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

function hasValue({ value_count: count, matched }: NotedReport): boolean {
  return matched && count > 0;
}

function namesOf(fields: readonly NotedReport[]): string {
  return fields
    .slice(0, 10)
    .map(({ path }) => path)
    .join(', ');
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
  const odd = fields.filter(({ path, note }) => {
    const limits = baseline.limits.get(path);
    return note !== undefined && limits !== undefined && isSuspectValue(limits, note);
  });
  const reasons = [
    ...(missing.length > 0 ? [`no value for ${namesOf(missing)}`] : []),
    ...(odd.length > 0 ? [`unusual values of ${namesOf(odd)}`] : []),
  ];
  const suspicion = isKnown
    ? `the parser is ${baseline.state} on this host`
    : reasons.length > 0
      ? reasons.join('; ')
      : undefined;
  return { suspicion, isKnown, isEmpty };
}

interface FieldSeen {
  path: string;
  isFilled: boolean;
  note?: NotedReport['note'];
}

/** @returns whether the page looks wrong because of this field */
function addField(
  delta: HealthDelta,
  { path, isFilled, note }: FieldSeen,
  baseline: Baseline | undefined,
): boolean {
  const known = baseline?.fields[path];
  const rate = known === undefined ? undefined : missingRate(known);
  const steps = rate === undefined ? undefined : stepsOf(rate);
  const [pages, filled, passage, before] = delta.fields[path] ?? [0, 0, NO_PASSAGE];
  const next = steps === undefined ? passage : addPage(passage, isFilled ? steps.filled : steps.missing);
  const values = before ?? (note === undefined ? undefined : { kind: note.kind, shapes: [], pages: [] });
  if (values !== undefined && note !== undefined) noteSeen(values, note);
  const counts = [pages + 1, filled + (isFilled ? 1 : 0), next] as const;
  delta.fields[path] = values === undefined ? [...counts] : [...counts, values];
  const limits = baseline?.limits.get(path);
  const isOdd = note !== undefined && limits !== undefined && isSuspectValue(limits, note);
  return (steps !== undefined && !isFilled) || isOdd;
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
    let isSuspect = addField(delta, { path: WHOLE_PAGE, isFilled: error === undefined }, baseline);
    for (const field of fields.slice(0, MAX_FIELDS)) {
      const { path, note } = field;
      if (addField(delta, { path, isFilled: hasValue(field), note }, baseline)) isSuspect = true;
    }
    if (isSuspect) delta.suspect = { url, seq };
  }
  return [...deltas.values()];
}
