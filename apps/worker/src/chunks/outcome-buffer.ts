import type { StoredError } from '@gleaner/contracts';
import type { Carried, Children, ChunkOutcomes, RunSpec } from '@gleaner/core';

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
}

export interface FailedTask {
  seq: number;
  error: StoredError;
}

/** Outcomes of one chunk that are not written yet. */
export interface OutcomeBuffer {
  done: DoneTask[];
  failed: FailedTask[];
  /** Size of the answers in UTF-16 units. */
  answerLength: number;
}

export function emptyBuffer(): OutcomeBuffer {
  return { done: [], failed: [], answerLength: 0 };
}

/** One after the other, as one. */
export function joinBuffers(first: OutcomeBuffer, second: OutcomeBuffer): OutcomeBuffer {
  return {
    done: first.done.concat(second.done),
    failed: first.failed.concat(second.failed),
    answerLength: first.answerLength + second.answerLength,
  };
}

/** As the engine takes them. @param keepsAnswers false in database mode, where the rows hold them */
export function toChunkOutcomes(
  buffer: OutcomeBuffer,
  { stage }: Pick<RunSpec, 'stage'>,
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
    children: stage && children.length > 0 ? { rootNo: stage.rootNo, children } : undefined,
  };
}
