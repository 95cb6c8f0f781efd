import { toStorableJson, type StoredError, type TaskPhases } from '@gleaner/contracts';
import type { Sql } from '@gleaner/db';
import type { Services } from '../../platform/context.ts';
import { bindColumns, type SettledRows } from '../../storage/sinks/index.ts';
import type { HealthDelta } from '../../health/health-stats.ts';
import type { HeldBack } from '../tasks/task-spec.ts';
import { BeyondWorker, WORK_LEVEL } from '../tasks/work-level.ts';
import { deliverAdmitted, type AdmittedRow } from '../deliveries/admitted.ts';
import { childBatches, type ChunkChildren } from '../stages/store-children.ts';

/** How long a worker owns a chunk before it must renew. */
export const CHUNK_LEASE_MS = 6_000;

export interface ChunkKey {
  run: string;
  chunk: number;
  attempt: number;
}

export interface StartedChunk extends ChunkKey {
  accountId: string;
  workerId: string;
  /** The most concurrent fetches. */
  slots: number;
  /** How often these tasks failed before. */
  tries: number;
  seqs: number[];
  /** One per seq: the bare URL, or JSON text. */
  inputs: string[];
}

export interface RetryGroup {
  seqs: number[];
  delayMs: number;
  /** No request was sent because the host was at its limit, so this does not count as an attempt. */
  isHostBusy?: boolean;
}

/** Outcomes of a chunk that are not written yet. */
export interface ChunkOutcomes {
  succeeded: number[];
  /** JSON text on one line each, in the order of `succeeded`; null in database mode. */
  answers: string[] | null;
  failed: number[];
  errors: StoredError[];
  /** How long phases took, by seq, of the tasks that keep it. */
  phases?: Readonly<Record<number, TaskPhases>> | undefined;
  notes?: ChunkNotes | undefined;
  /** What the successes give to further stages of their workflow run. */
  children?: ChunkChildren | undefined;
}

export interface ChunkEnd {
  retries: RetryGroup[];
  /** Tasks that did not begin. */
  left: number[];
  /** Sum of the tasks' durations. */
  busyMs: number;
}

/** The worker lost the chunk: the lease expired, or the run was cancelled. Outcomes that are not written must be dropped. */
export class ChunkLostError extends Error {
  constructor() {
    super('the chunk is no longer held by this worker');
    this.name = 'ChunkLostError';
  }
}

type ChunkServices = Pick<Services, 'db' | 'queue' | 'log'>;

/** The arguments of a function of the engine that also writes rows of a managed table. */
function rowArguments(sql: Sql, rows: SettledRows | undefined) {
  if (rows === undefined) return sql``;
  return sql`, p_rows_statement => ${rows.statement}, p_rows_columns => ${bindColumns(sql, rows)},
    p_rows_width => ${rows.width}`;
}

/** What the outcomes say of the parser, and rows that are held back: the argument of engine.note_pages. */
export interface ChunkNotes {
  parserId: string;
  version: number;
  deltas: readonly HealthDelta[];
  held: readonly HeldNote[];
}

export interface HeldNote extends HeldBack {
  seq: number;
  host: string;
  url: string;
  /** JSON text */
  answer: string;
  ageMs: number;
}

function noteArguments(sql: Sql, { notes }: ChunkOutcomes) {
  return notes === undefined ? sql`` : sql`, p_notes => ${toStorableJson(notes)}::text::jsonb`;
}

function phaseArguments(sql: Sql, { phases }: ChunkOutcomes) {
  return phases === undefined ? sql`` : sql`, p_phases => ${toStorableJson(phases)}::text::jsonb`;
}

/** The arguments of a function of the engine that also stores what the outcomes give to further stages. */
function childArguments(sql: Sql, { children }: ChunkOutcomes) {
  if (children === undefined) return sql``;
  return sql`, p_root_no => ${children.rootNo}, p_children => ${childBatches(children)}::text::jsonb`;
}

const LOST_CODE = 'GL001';

function hasCode(error: unknown): error is { code: unknown } {
  return typeof error === 'object' && error !== null && 'code' in error;
}

/** Converts the engine's refusal to a ChunkLostError. Other errors stay unchanged. */
function asLost(error: unknown): unknown {
  const cause = error instanceof Error && hasCode(error.cause) ? error.cause : error;
  return hasCode(cause) && cause.code === LOST_CODE ? new ChunkLostError() : error;
}

function array(numbers: readonly number[]): string {
  return `{${numbers.join(',')}}`;
}
function lines(values: readonly string[] | null): string | null {
  return values === null || values.length === 0 ? null : values.join('\n');
}
function errorLines(errors: readonly StoredError[]): string | null {
  return lines(errors.map((error) => toStorableJson(error)));
}

interface StartedRow {
  /** Null: the run needs a worker of a later version. */
  account_id: string | null;
  slots: number;
  tries: number;
  from_seq: number;
  seqs: string | null;
  inputs: string | null;
}

/**
 * Takes a delivered chunk. Returns null when the delivery is late or a duplicate, or the run was cancelled.
 * @throws BeyondWorker
 */
export async function startChunk(
  { db }: Pick<Services, 'db'>,
  key: ChunkKey,
  workerId: string,
): Promise<StartedChunk | null> {
  const [row] = await db.sql<StartedRow[]>`
    SELECT * FROM engine.start_chunk(${key.run}, ${key.chunk}, ${key.attempt}, ${workerId}, ${CHUNK_LEASE_MS},
      ${WORK_LEVEL})`;
  if (!row) return null;
  if (row.account_id === null) throw new BeyondWorker();
  const inputs = row.inputs === null ? [] : row.inputs.split('\n');
  const seqs =
    row.seqs === null ? inputs.map((_, index) => row.from_seq + index) : row.seqs.split(',').map(Number);
  return { ...key, accountId: row.account_id, workerId, slots: row.slots, tries: row.tries, seqs, inputs };
}

/** Slots and tasks that a chunk releases while its last tasks run. */
export interface ChunkRelease {
  /** The slots that it keeps; the others go to the account's next work. */
  slots: number;
  /** Tasks that did not begin. */
  left: number[];
}

/** What a flush changes besides the outcomes. */
export interface FlushOptions {
  release?: ChunkRelease | null;
  /** Outcomes that the worker holds because the sink's database is unavailable. */
  waiting?: number;
  /** Rows of the outcomes, in database mode with a managed table. */
  rows?: SettledRows | undefined;
}

export interface FlushedChunk {
  /** True when the lease had expired: the outcomes are written, but nothing was renewed or released. */
  isLate: boolean;
  /** Work to put into the queue, after commit. */
  admitted: AdmittedRow[];
}

/**
 * Stores outcomes and renews the lease while a chunk runs.
 * @throws ChunkLostError
 */
export async function flushChunk(
  key: ChunkKey & { workerId: string },
  outcomes: ChunkOutcomes,
  { release = null, waiting = 0, rows }: FlushOptions,
  sql: Sql,
): Promise<FlushedChunk> {
  try {
    const answer = await sql<(AdmittedRow & { is_late: boolean })[]>`
      SELECT is_late, (delivery).* FROM engine.flush_chunk(
        p_run_no => ${key.run}, p_chunk => ${key.chunk}, p_attempt => ${key.attempt}, p_worker => ${key.workerId},
        p_lease_ms => ${CHUNK_LEASE_MS},
        p_slots => ${release?.slots ?? null}, p_unstarted_seqs => ${array(release?.left ?? [])}::text::int[],
        p_succeeded_seqs => ${array(outcomes.succeeded)}::text::int[], p_answers => ${lines(outcomes.answers)},
        p_failed_seqs => ${array(outcomes.failed)}::text::int[], p_errors => ${errorLines(outcomes.errors)},
        p_waiting => ${waiting} ${childArguments(sql, outcomes)} ${noteArguments(sql, outcomes)} ${phaseArguments(sql, outcomes)}
        ${rowArguments(sql, rows)})`;
    return { isLate: answer[0]?.is_late === true, admitted: answer };
  } catch (error) {
    throw asLost(error);
  }
}

/**
 * Finishes a chunk in one statement: the last outcomes with their rows of a managed table, charge, counters, retries and
 * admission of the next work.
 * @returns work to put into the queue, after commit
 * @throws ChunkLostError
 */
export async function finishChunk(
  chunk: ChunkKey & { accountId: string; workerId: string },
  outcomes: ChunkOutcomes,
  end: ChunkEnd,
  sql: Sql,
  rows?: SettledRows,
): Promise<AdmittedRow[]> {
  const retries = end.retries.length === 0 ? null : toStorableJson(end.retries);
  try {
    return await sql<AdmittedRow[]>`
      SELECT * FROM engine.finish_chunk(
        p_run_no => ${chunk.run}, p_chunk => ${chunk.chunk}, p_attempt => ${chunk.attempt},
        p_worker => ${chunk.workerId}, p_account => ${chunk.accountId},
        p_succeeded_seqs => ${array(outcomes.succeeded)}::text::int[], p_answers => ${lines(outcomes.answers)},
        p_failed_seqs => ${array(outcomes.failed)}::text::int[], p_errors => ${errorLines(outcomes.errors)},
        p_retries => ${retries}::text::jsonb, p_unstarted_seqs => ${array(end.left)}::text::int[],
        p_busy_ms => ${end.busyMs} ${childArguments(sql, outcomes)} ${noteArguments(sql, outcomes)} ${phaseArguments(sql, outcomes)}
        ${rowArguments(sql, rows)})`;
  } catch (error) {
    throw asLost(error);
  }
}

/** Puts work into the queue that a flush or a finish admitted. */
export function deliverNext(services: ChunkServices, rows: readonly AdmittedRow[]): Promise<void> {
  return deliverAdmitted(services.queue, services.log, rows);
}
