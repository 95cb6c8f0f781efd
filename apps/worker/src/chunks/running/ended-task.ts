import { cutText, ERRORS, type Redirected, type StoredError, type TaskPhases } from '@gleaner/contracts';
import {
  childrenLength,
  isDeferred,
  type Children,
  type ChunkNotes,
  type ChunkOutcomes,
  type Found,
  type HeldBack,
  type RelativeValues,
  type RetryGroup,
  type RunSpec,
} from '@gleaner/core';
import { makeDeltas, type PageSeen } from '@gleaner/learn/drift';

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;
/** The longest wait that a target can request. */
const MAX_ASKED_MS = 600_000;
/** For this time after a run's start, its tasks may wait for busy hosts repeatedly. A host that is down must end the wait. */
const MAX_WAITING_RUN_MS = 30 * 60_000;

/** What a task found. */
export interface Success {
  /** JSON text on one line. */
  answer: string;
  /** Credits that it costs; absent: the run's price. */
  price?: number | undefined;
  /** UTF-16 units that its write needs at most: of the answer, or of its rows, and of its children. */
  length: number;
  url: string;
  /** ISO 8601, by Postgres' clock. */
  fetchedAt: string;
  /** Values of ancestors, by the column of the sink. */
  carried?: Readonly<Record<string, unknown>> | undefined;
  /** What the answer gives to further stages of the workflow run. */
  children?: readonly Children[] | undefined;
  relative?: RelativeValues | undefined;
  /** Set when the row is held back and not written. */
  held?: HeldBack | undefined;
}

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : (JSON.stringify(value)?.length ?? 0);
}

/** @returns `Success.length`. Each row repeats the address and the carried values; an object of the answer ends with a brace. */
export function writeLength(
  { mode, sink, target }: Pick<RunSpec, 'mode' | 'sink' | 'target'>,
  { answer, url, carried = {}, children = [] }: Omit<Success, 'length'>,
): number {
  const repeated =
    url.length + Object.values(carried).reduce<number>((sum, value) => sum + lengthOf(value), 0);
  const isList = sink?.mode === 'database' && (sink.rows !== undefined || target.type === 'api');
  const rows = mode === 'database' ? Math.max(1, isList ? countOf(answer, '}') : 1) : 0;
  return answer.length + rows * repeated + childrenLength(children);
}

/** A task that ended and is not written yet. It succeeded, failed, or (with neither) is tried again. */
export interface EndedTask {
  seq: number;
  success?: Success | undefined;
  error?: StoredError | undefined;
  phases?: TaskPhases | undefined;
  /** The page of a failure was asked for after this moment: ISO 8601, by Postgres' clock. */
  askedAt?: string | undefined;
  /** What it says of the parser. */
  seen?: PageSeen | undefined;
  /** What a page or a source of a crawl found. */
  fetched?: Found | undefined;
}

export function isSuccess(task: EndedTask): task is EndedTask & { success: Success } {
  return task.success !== undefined;
}

export function isFailure(task: EndedTask): task is EndedTask & { error: StoredError } {
  return task.error !== undefined;
}

function toNotes(tasks: readonly EndedTask[], { id, target }: RunSpec): ChunkNotes | undefined {
  const seen = tasks.flatMap((task) => task.seen ?? []);
  if (target.type !== 'parser' || seen.length === 0) return undefined;
  const held = tasks.flatMap(({ seq, success, seen: page }) =>
    success?.held === undefined || page === undefined
      ? []
      : [
          {
            ...success.held,
            host: page.host,
            seq,
            url: success.url,
            answer: success.answer,
            fetchedAt: success.fetchedAt,
          },
        ],
  );
  const { parserId, version } = target;
  return { parserId, version, deltas: makeDeltas(id, seen), held };
}

/** What pages and sources of a crawl found; undefined for other runs, whose outcomes count when they are written. */
function toFetched(tasks: readonly EndedTask[], { stage }: RunSpec): ChunkOutcomes['fetched'] {
  if (stage === null || !isDeferred(stage)) return undefined;
  return tasks.flatMap(({ seq, fetched }) => (fetched === undefined ? [] : [{ seq, ...fetched }]));
}

/** When pages were fetched; undefined when the run's rows can't be judged by it. */
function toTimes(tasks: readonly EndedTask[], { source, mode, stage }: RunSpec): ChunkOutcomes['fetchedAt'] {
  if (source === undefined || (mode !== 'database' && stage?.crawl?.role !== 'pages')) return undefined;
  return tasks.map(({ success, askedAt }) => success?.fetchedAt ?? askedAt ?? null);
}

/** Ended tasks in the form that the engine takes. */
export function toOutcomes(tasks: readonly EndedTask[], run: RunSpec): ChunkOutcomes {
  const done = tasks.filter(isSuccess);
  const failed = tasks.filter(isFailure);
  const phases = tasks.flatMap((task) => (task.phases === undefined ? [] : [[task.seq, task.phases]]));
  const children = done.flatMap(({ seq, success: { children: given = [] } }) =>
    given.length > 0 ? [{ seq, given }] : [],
  );
  return {
    succeeded: done.map(({ seq }) => seq),
    // In database mode the rows hold them.
    answers: run.mode === 'return' ? done.map(({ success }) => success.answer) : null,
    prices: done.some(({ success }) => success.price !== undefined)
      ? done.map(({ success: { price = null } }) => price)
      : undefined,
    fetchedAt: toTimes([...done, ...failed], run),
    failed: failed.map(({ seq }) => seq),
    errors: failed.map(({ error }) => error),
    phases: phases.length === 0 ? undefined : Object.fromEntries(phases),
    notes: toNotes(tasks, run),
    fetched: toFetched(tasks, run),
    children: run.stage && children.length > 0 ? { rootNo: run.stage.rootNo, children } : undefined,
  };
}

/** A task that failed and is tried again. */
export interface Failure {
  seq: number;
  error: StoredError;
  retryAfterMs?: number | undefined;
  isUncounted?: boolean | undefined;
  /** It waits with others of its run at its host. */
  joins?: boolean | undefined;
  /** Where its page goes on. */
  redirected?: Redirected | undefined;
  /** Where it goes on at once, by a dearer way. */
  climb?: RetryGroup['climb'];
}

/** Whether the same task can succeed later. */
export function canHeal(error: StoredError): boolean {
  return error.retryable ?? ERRORS[error.code].retryable;
}

/** Back-off with jitter: between half and one and a half of 1, 2, 4, … seconds, at most a minute. */
export function backOffMs(tries: number, random: number): number {
  return Math.round(Math.min(FIRST_DELAY_MS * 2 ** tries, MAX_DELAY_MS) * (0.5 + random));
}

/** Whether a task may wait for its busy host without losing an attempt. @param run the run's number, which contains its time */
export function mayWait(run: string, retryAfterMs: number | undefined, now: number): boolean {
  return (retryAfterMs ?? 0) <= MAX_ASKED_MS && now - Number(BigInt(run) >> 20n) < MAX_WAITING_RUN_MS;
}

/** Browser pages are slow: others can take the rest of them. */
const MAX_CLIMBING = 4;

/** Tasks that go on by a dearer way make small chunks, which wait for nothing. */
function addClimb(groups: Map<string, RetryGroup>, seq: number, climb: NonNullable<Failure['climb']>): void {
  const key = `way ${climb.way} ${climb.isUntried === true}`;
  const group = groups.get(key);
  group?.seqs.push(seq);
  if (group === undefined) groups.set(key, { seqs: [seq], delayMs: 0, isUncounted: true, climb });
  else if (group.seqs.length === MAX_CLIMBING) {
    groups.delete(key);
    groups.set(`${key} ${seq}`, group);
  }
}

/** Tasks that wait for the pace of their run at a host wait together, until the first of them may come. */
function addPaced(groups: Map<string, RetryGroup>, { seq, error, retryAfterMs = 0 }: Failure): void {
  const waitsFor = error.detail ?? '';
  const group = groups.get(waitsFor);
  const delayMs = Math.min(retryAfterMs, MAX_ASKED_MS, group?.delayMs ?? Infinity);
  const seqs = [...(group?.seqs ?? []), seq];
  groups.set(waitsFor, { seqs, delayMs, waitsFor, isUncounted: true, joins: true });
}

/**
 * Groups failed tasks into chunks for retries. Tasks with a delay from their target wait that long; the others share a
 * back-off.
 * @param tries how often these tasks failed before
 */
export function planRetries(failures: readonly Failure[], tries: number, random: number): RetryGroup[] {
  const backOff = backOffMs(tries, random);
  const groups = new Map<string, RetryGroup>();
  for (const failure of failures) {
    const { seq, error, retryAfterMs = 0, isUncounted = false, climb, joins, redirected } = failure;
    if (joins === true && redirected === undefined) {
      addPaced(groups, failure);
      continue;
    }
    if (climb !== undefined) {
      addClimb(groups, seq, climb);
      continue;
    }
    const asked = Math.ceil(Math.min(retryAfterMs, MAX_ASKED_MS) / 5_000) * 5_000;
    const delayMs = Math.max(backOff, retryAfterMs > backOff ? asked : 0);
    const key = `${delayMs} ${isUncounted}`;
    const group: RetryGroup = groups.get(key) ?? {
      seqs: [],
      delayMs,
      waitsFor: cutText(error.detail ?? ERRORS[error.code].text, 300),
      ...(isUncounted ? { isUncounted } : {}),
    };
    groups.set(key, group);
    group.seqs.push(seq);
    if (redirected !== undefined) group.redirected = { ...group.redirected, [seq]: redirected };
  }
  return [...groups.values()];
}
