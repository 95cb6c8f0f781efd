import { toStorableJson, type Redirected } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import type { QueueName } from '@gleaner/queue';
import type { Services } from '../../platform/context.ts';
import { WORK_LEVEL } from '../tasks/work-level.ts';
import { CHUNK_LEASE_MS, type TakenChunk } from './chunk.ts';

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
