import type { HealthState } from '@gleaner/contracts';
import {
  addValues,
  areValuesCalm,
  emptyValues,
  isBroken as areValuesBroken,
  testedOddities,
} from './value-test.ts';
import { addStructure } from './structure.ts';
import { applyPassage, missingRate, stepsOf, thresholdOf, type Passage } from './drift-test.ts';
import { WHOLE_PAGE, type FieldHealth, type HealthDelta, type HealthStats } from './health-stats.ts';

/** Pages that the rates remember: a site may change slowly. */
const REMEMBERED_PAGES = 2_000;
const RECOVERED = 8;

export function emptyStats(): HealthStats {
  return { fields: {}, failures: {} };
}

function learn(field: FieldHealth): void {
  field.pages += field.pending.pages;
  field.filled += field.pending.filled;
  field.pending = { pages: 0, filled: 0 };
  if (field.pages <= REMEMBERED_PAGES) return;
  field.filled *= REMEMBERED_PAGES / field.pages;
  field.pages = REMEMBERED_PAGES;
}

/** A worker without the parser's statistics ran no test: its pages count together then. */
function passageOf(field: FieldHealth, pages: number, filled: number, passage: Passage): Passage {
  const rate = missingRate(field);
  if (rate === undefined || pages === 0 || passage.some((part) => part !== 0)) return passage;
  const steps = stepsOf(rate);
  const sum = filled * steps.filled + (pages - filled) * steps.missing;
  const least = Math.max(0, sum);
  return [sum, least, least, least];
}

/** After an alarm: enough pages with the field end it. */
function recover(field: FieldHealth, pages: number, filled: number): void {
  const rate = missingRate(field);
  if (rate === undefined) return;
  const steps = stepsOf(rate);
  field.recovery = Math.max(0, field.recovery - filled * steps.filled - (pages - filled) * steps.missing);
  if (field.recovery < RECOVERED) return;
  field.isBroken = false;
  field.recovery = 0;
  field.sum = 0;
}

function addToField(
  field: FieldHealth,
  [pages, filled, passage, values]: HealthDelta['fields'][string],
  threshold: number,
): void {
  if (values !== undefined) addValues((field.values ??= emptyValues(values.kind)), values, threshold);
  if (field.isBroken) {
    recover(field, pages, filled);
    return;
  }
  field.pending.pages += pages;
  field.pending.filled += filled;
  const { sum, peak } = applyPassage(field.sum, passageOf(field, pages, filled, passage));
  field.sum = sum;
  if (peak >= threshold) {
    field.isBroken = true;
    field.pending = { pages: 0, filled: 0 };
    field.recovery = 0;
  } else if (sum === 0) learn(field);
}

/** Tests that run over the pages of a parser: each could raise a false alarm. */
export function testedCount({ fields }: HealthStats): number {
  return Object.values(fields).reduce(
    (sum, field) =>
      sum +
      (missingRate(field) === undefined ? 0 : 1) +
      (field.values === undefined ? 0 : testedOddities(field.values)),
    0,
  );
}

/** Whether the field raised an alarm: it is missing, or its values changed. */
export function isFieldBroken({ isBroken, values }: FieldHealth): boolean {
  return isBroken || (values !== undefined && areValuesBroken(values));
}

/** Adds a chunk's counts. Call it with the deltas of one parser and host in the order in which they were written. */
export function addDelta(stats: HealthStats, delta: HealthDelta): void {
  const threshold = thresholdOf(testedCount(stats));
  for (const [path, counts] of Object.entries(delta.fields)) {
    const pending = { pages: 0, filled: 0 };
    const field = { ...pending, pending, sum: 0, recovery: 0, isBroken: false };
    addToField((stats.fields[path] ??= field), counts, threshold);
  }
  for (const [code, count] of Object.entries(delta.failures)) {
    const key = code as keyof typeof stats.failures;
    stats.failures[key] = (stats.failures[key] ?? 0) + count;
  }
  // Pages under suspicion may be of a new template: they are compared, and not learned.
  const isLearned = delta.structures === undefined || isCalm(stats);
  for (const fingerprint of delta.structures ?? []) {
    stats.structure = addStructure(stats.structure, fingerprint, isLearned);
  }
  if (delta.suspect !== undefined) stats.example = { ...delta.suspect, run_id: delta.runId };
}

/** `broken`: the whole page, or most fields; `degraded`: some field. */
export function stateOf({ fields }: HealthStats): HealthState {
  const all = Object.entries(fields).filter(([path]) => path !== WHOLE_PAGE);
  const broken = all.filter(([, field]) => isFieldBroken(field)).length;
  if (fields[WHOLE_PAGE]?.isBroken === true || (broken > 0 && broken * 2 >= all.length)) return 'broken';
  return broken > 0 ? 'degraded' : 'healthy';
}

/** Whether no field is under suspicion now. */
export function isCalm({ fields }: HealthStats): boolean {
  return Object.values(fields).every(
    ({ sum, isBroken, values }) => sum === 0 && !isBroken && (values === undefined || areValuesCalm(values)),
  );
}

export function brokenFields({ fields }: HealthStats): string[] {
  return Object.entries(fields).flatMap(([path, field]) => (isFieldBroken(field) ? [path] : []));
}
