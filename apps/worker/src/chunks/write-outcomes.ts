import { AppError, toStoredError, type StoredError } from '@gleaner/contracts';
import type { SettledRows, SinkWriter } from '@gleaner/core';
import { isTransientError } from '@gleaner/db';
import type { ChunkState, TakenTasks } from './chunk-state.ts';
import { isSuccess, type EndedTask } from './ended-task.ts';

const MAX_TRIES = 5;

export interface WriteInput<T = unknown> {
  /** Absent in return mode. Throws AppError when the sink can't be written. */
  openSink: (() => Promise<SinkWriter>) | undefined;
  /** Outcomes are kept when the sink's database is away (SinkAwayError); otherwise their tasks fail. */
  keepsOutcomes: boolean;
  taken: TakenTasks;
  /** The sink refused the rows of these tasks: they failed after all. */
  refuse: ChunkState['refuse'];
  /** The engine's part, flush or finish, of what is left after refusals; with the rows of a managed table. */
  commit: (rows?: SettledRows) => Promise<T>;
}

/** The sink's database is unavailable. Nothing was written, and the same outcomes can be written later. */
export class SinkAwayError extends Error {
  constructor(cause: unknown) {
    super('the database of the sink is unavailable', { cause });
    this.name = 'SinkAwayError';
  }
}

type SinkRows = Parameters<SinkWriter['writeExternal']>[0];

/** Rows of the tasks that fit the table, each with its task; the other tasks are refused. */
function makeRows(sink: SinkWriter, { taken, refuse }: WriteInput): Map<SinkRows[number], EndedTask> {
  const rows = new Map<SinkRows[number], EndedTask>();
  const refused = new Map<EndedTask, StoredError>();
  for (const task of taken.tasks.filter(isSuccess)) {
    const { url, fetchedAt, answer, carried, held } = task.success;
    if (held !== undefined) continue;
    const made = sink.toRows({ url, fetchedAt, data: JSON.parse(answer) as unknown, carried });
    if ('error' in made) refused.set(task, made.error);
    else for (const row of made.rows) rows.set(row, task);
  }
  refuse(taken, refused);
  return rows;
}

/** Creates the rows again for each try, because another chunk of the run may have found the table changed. */
async function withTries<T>(
  sink: SinkWriter,
  input: WriteInput,
  write: (rows: Map<SinkRows[number], EndedTask>) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    // It may change what fits.
    await sink.prepare();
    const rows = makeRows(sink, input);
    try {
      return await write(rows);
    } catch (error) {
      if (attempt >= MAX_TRIES || !(isTransientError(error) || (await sink.recover(error)))) throw error;
    }
  }
}

function writeExternal<T>(sink: SinkWriter, input: WriteInput<T>): Promise<T> {
  return withTries(sink, input, async (rows) => {
    const faults = await sink.writeExternal([...rows.keys()]);
    const refused = new Map<EndedTask, StoredError>();
    for (const [row, error] of faults) {
      const task = rows.get(row);
      if (task) refused.set(task, error);
    }
    input.refuse(input.taken, refused);
    return input.commit();
  });
}

/** Rows and outcomes in one statement: either both are there or neither, and no lock waits for this process. */
function writeManaged<T>(sink: SinkWriter, input: WriteInput<T>): Promise<T> {
  return withTries(sink, input, (rows) =>
    input.commit(rows.size > 0 ? sink.settledRows([...rows.keys()]) : undefined),
  );
}

/**
 * Writes rows of a sink, if the run has one, together with the engine's part.
 * @throws SinkAwayError when outcomes are kept and the sink's database is away
 */
export async function writeOutcomes<T>(input: WriteInput<T>): Promise<T> {
  const { openSink, taken } = input;
  if (openSink === undefined || !taken.tasks.some(isSuccess)) return input.commit();
  try {
    const sink = await openSink();
    return await (sink.kind === 'managed' ? writeManaged(sink, input) : writeExternal(sink, input));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (input.keepsOutcomes && error.code === 'temporarily_unavailable') throw new SinkAwayError(error);
    // The sink can't be written: that is how these tasks ended.
    const fault = toStoredError(error);
    input.refuse(taken, new Map(taken.tasks.filter(isSuccess).map((task) => [task, fault])));
    return input.commit();
  }
}
