import type { StoredError } from '@gleaner/contracts';
import type { Sql } from '@gleaner/db';
import type { TransactionSql } from 'postgres';
import type { Services } from '../../platform/context.ts';
import { deliverAdmitted, type AdmittedRow } from '../deliveries/admitted.ts';

/** How long a worker owns a chunk before it must renew. */
export const CHUNK_LEASE_MS = 6_000;

export interface ChunkKey {
  run: string;
  chunk: number;
  attempt: number;
}

export interface StartedChunk extends ChunkKey {
  accountId: string;
  /** Fetches that may be under way at once. */
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
  /** They were not asked for: this was none of their attempts. */
  isUnasked?: boolean;
}

/** Outcomes of a chunk that are not written yet. */
export interface ChunkOutcomes {
  succeeded: number[];
  /** JSON text on one line each, in the order of `succeeded`; null in database mode. */
  answers: string[] | null;
  failed: number[];
  errors: StoredError[];
}

export interface ChunkEnd {
  retries: RetryGroup[];
  /** Tasks that were not begun. */
  left: number[];
  /** Sum of the tasks' durations. */
  busyMs: number;
}

/** The chunk was taken back, given to another worker or cancelled: drop everything that is not written. */
export class ChunkLostError extends Error {
  constructor() {
    super('the chunk is no longer held by this worker');
    this.name = 'ChunkLostError';
  }
}

type ChunkServices = Pick<Services, 'db' | 'queue' | 'log'>;
/** Where a statement runs: the pool, or a transaction that also writes rows. */
export type SqlRunner = Sql | TransactionSql;

const LOST_CODE = 'GL001';

function hasCode(error: unknown): error is { code: unknown } {
  return typeof error === 'object' && error !== null && 'code' in error;
}

/** Tells the loss of a chunk apart from a database that is away. */
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
  return lines(errors.map((error) => JSON.stringify(error)));
}

interface StartedRow {
  account_id: string;
  slots: number;
  tries: number;
  from_seq: number;
  seqs: string | null;
  inputs: string | null;
}

/** Takes a delivered chunk; null when this delivery is late, double or cancelled. */
export async function startChunk(
  { db }: Pick<Services, 'db'>,
  key: ChunkKey,
  workerId: string,
): Promise<StartedChunk | null> {
  const [row] = await db.sql<StartedRow[]>`
    SELECT * FROM engine.start_chunk(${key.run}, ${key.chunk}, ${key.attempt}, ${workerId}, ${CHUNK_LEASE_MS})`;
  if (!row) return null;
  const inputs = row.inputs === null ? [] : row.inputs.split('\n');
  const seqs =
    row.seqs === null ? inputs.map((_, place) => row.from_seq + place) : row.seqs.split(',').map(Number);
  return { ...key, accountId: row.account_id, slots: row.slots, tries: row.tries, seqs, inputs };
}

/** What a chunk gives back while its last tasks run. */
export interface ChunkRelease {
  /** Those it keeps; the others go to the account's next work. */
  slots: number;
  /** Tasks that were not begun. */
  left: number[];
}

/**
 * Keeps outcomes and renews the lease in the middle of a chunk.
 * @throws ChunkLostError
 */
export async function flushChunk(
  key: ChunkKey,
  outcomes: ChunkOutcomes,
  release: ChunkRelease | null,
  sql: SqlRunner,
): Promise<AdmittedRow[]> {
  try {
    return await sql<AdmittedRow[]>`
      SELECT * FROM engine.flush_chunk(${key.run}, ${key.chunk}, ${key.attempt}, ${CHUNK_LEASE_MS},
        ${release?.slots ?? null}, ${array(release?.left ?? [])}::text::int[],
        ${array(outcomes.succeeded)}::text::int[], ${lines(outcomes.answers)},
        ${array(outcomes.failed)}::text::int[], ${errorLines(outcomes.errors)})`;
  } catch (error) {
    throw asLost(error);
  }
}

/**
 * Ends the hold of a chunk: the last outcomes, charge, counters, retries and admission of what is next, in one step.
 * @returns what to put into the queue, after commit
 * @throws ChunkLostError
 */
export async function finishChunk(
  chunk: ChunkKey & { accountId: string },
  outcomes: ChunkOutcomes,
  end: ChunkEnd,
  sql: SqlRunner,
): Promise<AdmittedRow[]> {
  const retries = end.retries.length === 0 ? null : JSON.stringify(end.retries);
  try {
    return await sql<AdmittedRow[]>`
      SELECT * FROM engine.finish_chunk(${chunk.run}, ${chunk.chunk}, ${chunk.attempt}, ${chunk.accountId},
        ${array(outcomes.succeeded)}::text::int[], ${lines(outcomes.answers)},
        ${array(outcomes.failed)}::text::int[], ${errorLines(outcomes.errors)},
        ${retries}::text::jsonb, ${array(end.left)}::text::int[], ${end.busyMs})`;
  } catch (error) {
    throw asLost(error);
  }
}

/** Delivers what a flush or finish admitted. */
export function deliverNext(services: ChunkServices, rows: readonly AdmittedRow[]): Promise<void> {
  return deliverAdmitted(services.queue, services.log, rows);
}
