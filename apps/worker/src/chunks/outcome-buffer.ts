import type { StoredError, TaskPhases } from '@gleaner/contracts';
import {
  makeDeltas,
  type Carried,
  type Children,
  type ChunkNotes,
  type ChunkOutcomes,
  type HeldBack,
  type PageSeen,
  type RunSpec,
  type TaskTarget,
} from '@gleaner/core';

/** A task that succeeded; `url` and `fetchedAt` (on performance.now()'s clock) are for sinks. */
export interface DoneTask {
  seq: number;
  /** JSON text on one line. */
  answer: string;
  url: string;
  fetchedAt: number;
  /** Values of ancestors, by the column of the sink. */
  carried?: Carried | undefined;
  /** What the answer gives to further stages of the workflow run. */
  children?: readonly Children[] | undefined;
  /** Set when the row is held back and not written. */
  held?: (HeldBack & { host: string }) | undefined;
  /** How long the phases took; set for the one task of a job. */
  phases?: TaskPhases | undefined;
}

export interface FailedTask {
  seq: number;
  error: StoredError;
  phases?: TaskPhases | undefined;
}

/** Outcomes of one chunk that are not written yet. */
export interface OutcomeBuffer {
  done: DoneTask[];
  failed: FailedTask[];
  /** What ended tasks say of the parser. */
  seen: PageSeen[];
  /** Size of the answers in UTF-16 units. */
  answerLength: number;
}

export function emptyBuffer(): OutcomeBuffer {
  return { done: [], failed: [], seen: [], answerLength: 0 };
}

/** One after the other, as one. */
export function joinBuffers(first: OutcomeBuffer, second: OutcomeBuffer): OutcomeBuffer {
  return {
    done: first.done.concat(second.done),
    failed: first.failed.concat(second.failed),
    seen: first.seen.concat(second.seen),
    answerLength: first.answerLength + second.answerLength,
  };
}

/** One task's outcome with its note, and the rest. */
export function splitBuffer(buffer: OutcomeBuffer): [OutcomeBuffer | undefined, OutcomeBuffer] {
  const [done] = buffer.done;
  const failed = done === undefined ? buffer.failed[0] : undefined;
  const seq = (done ?? failed)?.seq;
  if (seq === undefined) return [undefined, buffer];
  const answerLength = done?.answer.length ?? 0;
  return [
    {
      done: done === undefined ? [] : [done],
      failed: failed === undefined ? [] : [failed],
      seen: buffer.seen.filter((page) => page.seq === seq),
      answerLength,
    },
    {
      done: buffer.done.slice(done === undefined ? 0 : 1),
      failed: buffer.failed.slice(failed === undefined ? 0 : 1),
      seen: buffer.seen.filter((page) => page.seq !== seq),
      answerLength: buffer.answerLength - answerLength,
    },
  ];
}

function toNotes({ done, seen }: OutcomeBuffer, runId: string, target: TaskTarget): ChunkNotes | undefined {
  if (target.type !== 'parser' || seen.length === 0) return undefined;
  const held = done.flatMap(({ seq, url, answer, fetchedAt, held: why }) =>
    why === undefined ? [] : [{ ...why, seq, url, answer, ageMs: performance.now() - fetchedAt }],
  );
  const { parserId, version } = target;
  return { parserId, version, deltas: makeDeltas(runId, seen), held };
}

function toPhases({ done, failed }: OutcomeBuffer): ChunkOutcomes['phases'] {
  // A job has one task; a large chunk is not searched for its successes.
  const known = (done.length === 1 ? [...done, ...failed] : failed).flatMap(({ seq, phases }) =>
    phases === undefined ? [] : [[seq, phases] as const],
  );
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

/** The outcomes in the form that the engine takes. @param keepsAnswers false in database mode, where the rows hold them */
export function toChunkOutcomes(
  buffer: OutcomeBuffer,
  { stage, id, target }: Pick<RunSpec, 'stage' | 'id' | 'target'>,
  keepsAnswers: boolean,
): ChunkOutcomes {
  const children = buffer.done.flatMap(({ seq, children: given = [] }) =>
    given.length > 0 ? [{ seq, given }] : [],
  );
  return {
    succeeded: buffer.done.map((task) => task.seq),
    answers: keepsAnswers ? buffer.done.map((task) => task.answer) : null,
    failed: buffer.failed.map((task) => task.seq),
    errors: buffer.failed.map((task) => task.error),
    phases: toPhases(buffer),
    notes: toNotes(buffer, id, target),
    children: stage && children.length > 0 ? { rootNo: stage.rootNo, children } : undefined,
  };
}
