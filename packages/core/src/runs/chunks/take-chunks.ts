import { toStorableJson, type Redirected, type StoredError, type TaskPhases } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import type { QueueName } from '@gleaner/queue';
import type { Services } from '../../platform/context.ts';
import { WORK_LEVEL } from '../tasks/work-level.ts';
import type { HealthDelta } from '@gleaner/learn/drift';
import type { ChunkChildren } from '../stages/store-children.ts';
import type { RowCounts } from '../../storage/sinks/row-counts.ts';
import type { FetchedTask } from '../tasks/fetched-task.ts';
import type { HeldBack } from '../tasks/task-spec.ts';

/** How long a worker owns a chunk before it must renew. */
export const CHUNK_LEASE_MS = 6_000;

/** A chunk that a worker took, with the fence of its writes. */
export interface ChunkKey {
  /** The run's number. */
  run: string;
  chunk: number;
  attempt: number;
  /** Token of the take. */
  token: string;
  accountId: string;
}

export interface TakenChunk extends ChunkKey {
  runId: string;
  /** The most concurrent fetches. */
  slots: number;
  /** How often these tasks failed before. */
  tries: number;
  /** By which of the run's ways they are read; see RunConfig. */
  way: number;
  /** Slot-milliseconds that its account's turn was charged; what it really takes corrects them. */
  charge: number;
  seqs: number[];
  /** One per seq: the bare URL, or JSON text. */
  inputs: string[];
  /** By seq, where pages go on whose redirects had to wait. */
  redirected?: Readonly<Record<number, Redirected>> | undefined;
  /** The way before was not tried on them. */
  isUntried?: boolean;
}

export interface RetryGroup {
  seqs: number[];
  delayMs: number;
  /** These did not count as attempts. */
  isUncounted?: boolean;
  /** By which of the run's ways they go on, and the queue whose workers do that. Absent: as before. */
  climb?: { way: number; queue: QueueName; isUntried?: boolean | undefined };
  /** Why the first of them failed. */
  waitsFor?: string;
  /** They wait together with others of their run for the same reason. */
  joins?: true;
  /** By seq, where they go on. */
  redirected?: Record<number, Redirected>;
}

/** The hosts that the pages of an ended chunk have left: others of its run, which wait for them, are due `afterMs` later. */
export interface PacedWake {
  /** As `RetryGroup.waitsFor` has it. */
  reasons: readonly string[];
  afterMs: number;
}

/** Outcomes of a chunk that are not written yet. */
export interface ChunkOutcomes {
  succeeded: number[];
  /** JSON text on one line each, in the order of `succeeded`; null in database mode. */
  answers: string[] | null;
  /** Credits of each success; null, or no list: the run's price. */
  prices?: readonly (number | null)[] | undefined;
  failed: number[];
  errors: StoredError[];
  /** When the pages of the outcomes were fetched, ISO 8601: of the successes, then of the failures; null: not known. */
  fetchedAt?: readonly (string | null)[] | undefined;
  /** How long phases took, by seq, of the tasks that keep it. */
  phases?: Readonly<Record<number, TaskPhases>> | undefined;
  notes?: ChunkNotes | undefined;
  /** What the successes give to further stages of their workflow run. */
  children?: ChunkChildren | undefined;
  /**
   * What the tasks of a crawl's pages and sources found. The outcomes are counted and charged when their pages are
   * retired.
   */
  fetched?: readonly FetchedTask[] | undefined;
  /** What was done to rows of an external table. */
  rows?: RowCounts | undefined;
}

/** Whether the end of their chunk makes room under `max_credits`: some failed, or cost less than what was reserved. */
export function freesCredits({ failed, prices }: ChunkOutcomes): boolean {
  return failed.length > 0 || prices !== undefined;
}

/** The outcomes of a write that only renews or gives back. */
export const NOTHING: ChunkOutcomes = { succeeded: [], answers: null, failed: [], errors: [] };

export interface ChunkEnd {
  retries: RetryGroup[];
  /** Tasks that did not begin. */
  left: number[];
  /** Sum of the tasks' durations. */
  busyMs: number;
  wake?: PacedWake | undefined;
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
  /** ISO 8601 */
  fetchedAt: string;
}

/** Slots and tasks that a chunk gives back while its last tasks run. */
export interface ChunkRelease {
  /** The slots that it keeps. */
  slots: number;
  /** Tasks that did not begin. */
  left: number[];
}

/** The worker lost the chunk: the lease expired, or the run was cancelled. Outcomes that are not written must be dropped. */
export class ChunkLostError extends Error {
  constructor() {
    super('the chunk is no longer held by this worker');
    this.name = 'ChunkLostError';
  }
}

/** An account of which a worker freed slots. */
export interface FreedSlots {
  account: string;
  /** Slot-milliseconds that its turn was charged too little; negative when it was charged too much. */
  ms: number;
  /** Whether it may have work that it did not have: tasks to try again, or given back. */
  isMore: boolean;
}

export interface Taking {
  queue: QueueName;
  workerId: string;
  /** Free slots of the worker. */
  slots: number;
  freed: readonly FreedSlots[];
  /** Shorter in tests. */
  leaseMs?: number | undefined;
}

export interface Taken {
  chunks: TakenChunk[];
  /** Further accounts wait for their turn. */
  isMore: boolean;
  /** Accounts of `freed` that somebody else held: pass them again. */
  missed: string[];
}

interface TakenRow {
  run_no: string | null;
  chunk: number;
  attempt: number;
  token: string;
  account_id: string;
  run_id: string;
  slots: number;
  tries: number;
  way: number;
  from_seq: number;
  charge: number;
  seqs: string | null;
  inputs: string | null;
  redirected: Record<number, Redirected> | null;
  is_untried: boolean;
  is_more: boolean | null;
  missed: string[] | null;
}

function toTaken(row: TakenRow & { run_no: string }): TakenChunk {
  const inputs = row.inputs === null ? [] : row.inputs.split('\n');
  return {
    run: row.run_no,
    chunk: row.chunk,
    attempt: row.attempt,
    token: row.token,
    accountId: row.account_id,
    runId: row.run_id,
    slots: row.slots,
    tries: row.tries,
    way: row.way,
    charge: row.charge,
    seqs:
      row.seqs === null ? inputs.map((_, index) => row.from_seq + index) : row.seqs.split(',').map(Number),
    inputs,
    redirected: row.redirected ?? undefined,
    isUntried: row.is_untried,
  };
}

/** Takes chunks of the accounts that were served least for the free slots: one statement, which waits for no lock. */
export async function takeChunks({ db }: Pick<Services, 'db'>, taking: Taking): Promise<Taken> {
  const { queue, workerId, slots, freed, leaseMs = CHUNK_LEASE_MS } = taking;
  const rows = await db.sql<TakenRow[]>`
    SELECT (chunk).*, is_more, missed FROM ${db.sql(ENGINE)}.take_chunks(
      p_queue => ${queue}, p_worker => ${workerId}, p_slots => ${slots}, p_level => ${WORK_LEVEL},
      p_lease_ms => ${leaseMs}, p_ended => ${toStorableJson(freed)}::text::jsonb)`;
  const end = rows.at(-1);
  return {
    chunks: rows.flatMap((row) => (row.run_no === null ? [] : [toTaken({ ...row, run_no: row.run_no })])),
    isMore: end?.is_more === true,
    missed: end?.missed ?? [],
  };
}

/** Whether accounts wait for their turn in the queue. */
export async function hasTurns({ db }: Pick<Services, 'db'>, queue: QueueName): Promise<boolean> {
  const [row] = await db.sql<{ has: boolean }[]>`SELECT ${db.sql(ENGINE)}.has_turns(${queue}) AS has`;
  return row?.has === true;
}
