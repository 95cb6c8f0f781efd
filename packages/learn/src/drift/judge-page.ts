import type { ErrorCode } from '@gleaner/contracts';
import { READER, type NotedReport } from '@gleaner/extractors';
import { addPage, NO_PASSAGE } from './drift-test.ts';
import { WHOLE_PAGE, type Baseline, type FieldBaseline, type HealthDelta } from './health-stats.ts';
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
  /** The fingerprint of its structure; most pages have none. */
  structure?: readonly number[] | undefined;
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
  const isEmpty = !fields.some(hasValue);
  if (baseline === undefined) return { suspicion: undefined, isKnown: false, isEmpty };
  const isKnown = baseline.state !== 'healthy';
  if (isKnown) return { suspicion: `the parser is ${baseline.state} on this host`, isKnown, isEmpty };
  const missing: NotedReport[] = [];
  const odd: NotedReport[] = [];
  for (const field of fields) {
    const known = baseline.fields.get(field.path);
    if (known === undefined) continue;
    const isRarelyMissing = known.missing !== undefined && known.missing.rate <= RARELY_MISSING;
    if (isRarelyMissing && !hasValue(field)) missing.push(field);
    if (isOddIn(known, field.note)) odd.push(field);
  }
  if (missing.length === 0 && odd.length === 0) return { suspicion: undefined, isKnown, isEmpty };
  const reasons = [
    ...(missing.length > 0 ? [`no value for ${namesOf(missing)}`] : []),
    ...(odd.length > 0 ? [`unusual values of ${namesOf(odd)}`] : []),
  ];
  return { suspicion: reasons.join('; '), isKnown, isEmpty };
}

function isOddIn(known: FieldBaseline, note: NotedReport['note']): boolean {
  return note !== undefined && known.limits !== undefined && isSuspectValue(known.limits, note);
}

/** @returns whether the page looks wrong because of this field */
function addField(
  delta: HealthDelta,
  { path, isFilled, note }: { path: string; isFilled: boolean; note?: NotedReport['note'] },
  baseline: Baseline | undefined,
): boolean {
  const known = baseline?.fields.get(path);
  const steps = known?.missing?.steps;
  const counts = (delta.fields[path] ??= [0, 0, NO_PASSAGE]);
  counts[0] += 1;
  if (isFilled) counts[1] += 1;
  if (steps !== undefined) counts[2] = addPage(counts[2], isFilled ? steps.filled : steps.missing);
  if (note !== undefined) noteSeen((counts[3] ??= { kind: note.kind, shapes: [], pages: [] }), note);
  return (steps !== undefined && !isFilled) || (known !== undefined && isOddIn(known, note));
}

/** Deltas by host, in the order in which the pages ended. */
export function makeDeltas(runId: string, seen: readonly PageSeen[]): HealthDelta[] {
  const deltas = new Map<string, HealthDelta>();
  for (const { host, url, seq, fields, structure, error, baseline } of seen) {
    let delta = deltas.get(host);
    if (delta === undefined) {
      delta = { reader: READER, host, runId, pages: 0, failures: {}, fields: {} };
      deltas.set(host, delta);
    }
    if (error !== undefined) delta.failures[error] = (delta.failures[error] ?? 0) + 1;
    if (fields === undefined) continue;
    delta.pages += 1;
    if (structure !== undefined) (delta.structures ??= []).push(structure);
    let isSuspect = addField(delta, { path: WHOLE_PAGE, isFilled: error === undefined }, baseline);
    for (const field of fields.slice(0, MAX_FIELDS)) {
      const { path, note } = field;
      if (addField(delta, { path, isFilled: hasValue(field), note }, baseline)) isSuspect = true;
    }
    if (isSuspect) delta.suspect = { url, seq };
  }
  return [...deltas.values()];
}
