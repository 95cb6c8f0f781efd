import { createKeyedTurns, toStorableJson } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import type { Services } from '../../platform/context.ts';
import { BUSY, createAccountGroups } from '../../platform/groups/create-account-groups.ts';
import { isLockTimeout, mayBeOneRow } from '../../platform/groups/database-errors.ts';
import { bindColumns, type SettledRows } from '../../storage/sinks/write-rows.ts';
import { deliverAdmitted, type AdmittedRow } from '../deliveries/admitted.ts';
import { childBatches } from '../stages/store-children.ts';
import { childrenLength } from '../tasks/children.ts';
import {
  CHUNK_LEASE_MS,
  ChunkLostError,
  type ChunkEnd,
  type ChunkKey,
  type ChunkOutcomes,
  type ChunkRelease,
} from './take-chunks.ts';

/** What a write changes besides the outcomes. */
export interface ChunkChange {
  /** Ends the worker's hold: charge, counters, retries and the end of the run. Otherwise the write renews the lease. */
  end?: ChunkEnd;
  release?: ChunkRelease | null;
  /** Outcomes that the worker holds because the sink's database is unavailable. */
  waiting?: number;
  /** Whether the wait for the sink begins or ends with it. */
  changesWait?: boolean;
  /** Rows of the outcomes, in database mode with a managed table. */
  rows?: SettledRows | undefined;
}

/** Writes what a worker has of its chunks: those of all accounts in groups, one statement each. */
export interface ChunkWriter {
  /** @returns late: the lease had expired, so nothing was renewed or given back @throws ChunkLostError */
  write(chunk: ChunkKey, outcomes: ChunkOutcomes, change: ChunkChange): Promise<'done' | 'late'>;
}

/** One write, as `engine.chunk_write` has it. */
interface Write {
  item: Readonly<Record<string, unknown>> & { account_id: string; is_locking: boolean };
  outcomes: number;
  /** One for each success; empty in database mode. */
  answers: readonly string[];
  /** Length of what it sends: answers, links of pages, children, rows that are held back. */
  length: number;
  rows: SettledRows | undefined;
}

type Outcome = 'done' | 'late';

interface WrittenRow {
  place: number | null;
  outcome: Outcome | 'lost' | 'busy' | null;
}

/** How long a write of several outcomes waits for others; a job of one page waits for none. */
const PATIENCE_MS = 25;
const LOST_CODE = 'GL001';
/** How long a write with rows waits for its account. */
const ROWS_LOCK_MS = 3_000;

function isLost(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === LOST_CODE;
}

function toItem(
  { run, chunk, attempt, token, accountId }: ChunkKey,
  { succeeded, prices, fetchedAt, failed, errors, phases, notes, children, fetched, rows }: ChunkOutcomes,
  { end, release = null, waiting = 0, changesWait = false }: ChunkChange,
): Write['item'] {
  const retries = end?.retries.map(
    ({ seqs, delayMs, isUncounted = false, waitsFor, climb, joins, redirected }) => ({
      seqs,
      delayMs,
      // A host that was not asked costs no attempt.
      attempts: isUncounted ? 0 : 1,
      waitsFor,
      joins,
      redirected,
      ...climb,
    }),
  );
  return {
    run_no: run,
    chunk,
    attempt,
    token,
    account_id: accountId,
    is_end: end !== undefined,
    is_locking: end !== undefined || release !== null || changesWait,
    slots: release?.slots,
    succeeded,
    prices,
    fetched_at: fetchedAt,
    failed,
    errors,
    phases,
    unstarted: end?.left ?? release?.left ?? [],
    retries: retries?.length === 0 ? undefined : retries,
    busy_ms: end?.busyMs,
    ...(end?.wake === undefined ? {} : { wakes: end.wake.reasons, wakes_after_ms: end.wake.afterMs }),
    waiting,
    notes,
    rows,
    ...(fetched === undefined ? {} : { defers: true, fetched }),
    ...(children === undefined ? {} : { root_no: children.rootNo, children: childBatches(children) }),
  };
}

/** The approximate size of a write: its JSON text and rows. */
function sizeOf({ item, length }: Write): number {
  return 500 + length + (item['notes'] === undefined ? 0 : 10_000);
}

function lengthOf({ answers, fetched = [], children, notes }: ChunkOutcomes): number {
  const sum = (texts: readonly string[]): number => texts.reduce((length, text) => length + text.length, 0);
  return (
    sum(answers ?? []) +
    sum(fetched.map(({ links = '' }) => links)) +
    (children?.children.reduce((length, { given }) => length + childrenLength(given), 0) ?? 0) +
    sum(notes?.held.map(({ answer }) => answer) ?? [])
  );
}

/** What an outcome takes beside its answer. */
const OUTCOME_LENGTH = 100;

/** The approximate bytes that a write adds to what its account stores. Links of pages are counted when they are entries. */
function storedLength(outcomes: ChunkOutcomes, rows: SettledRows | undefined): number {
  const { succeeded, failed } = outcomes;
  return (
    lengthOf({ ...outcomes, fetched: undefined, notes: undefined }) +
    (rows?.columns.reduce((sum, column) => sum + column.length, 0) ?? 0) +
    (succeeded.length + failed.length) * OUTCOME_LENGTH
  );
}

export function createChunkWriter(
  services: Pick<Services, 'db' | 'queue' | 'log'>,
  workerId: string,
  leaseMs = CHUNK_LEASE_MS,
): ChunkWriter {
  const { db, queue, log } = services;
  const run = async (
    writes: readonly Write[],
    waitMs: number | null,
  ): Promise<(Outcome | 'lost' | typeof BUSY)[]> => {
    const { sql } = db;
    const [first] = writes;
    const rows = first?.rows;
    const rowArguments =
      rows === undefined
        ? sql``
        : sql`, p_rows_statements => ${[...rows.statements]}::text[], p_rows_columns => ${bindColumns(sql, rows)},
            p_rows_width => ${rows.width}, p_rows_finish => ${rows.finish}`;
    let found: (WrittenRow & AdmittedRow)[];
    try {
      found = await sql<(WrittenRow & AdmittedRow)[]>`
        SELECT place, outcome, (delivery).* FROM ${sql(ENGINE)}.write_chunks(
          p_worker => ${workerId}, p_writes => ${toStorableJson(writes.map(({ item }) => item))}::text::jsonb,
          p_answers => ${writes.flatMap(({ answers }) => answers).join('\n')}, p_lease_ms => ${leaseMs},
          p_lock_ms => ${waitMs} ${rowArguments})`;
    } catch (error) {
      if (isLockTimeout(error)) return writes.map(() => BUSY);
      if (isLost(error)) return writes.map(() => 'lost');
      throw error;
    }
    void deliverAdmitted(queue, log, found);
    const outcomes: (Outcome | 'lost' | typeof BUSY)[] = writes.map(() => 'lost');
    for (const { place, outcome } of found) {
      if (place !== null && outcome !== null) outcomes[place - 1] = outcome === 'busy' ? BUSY : outcome;
    }
    return outcomes;
  };
  const groups = createAccountGroups<Write, Outcome | 'lost'>({
    accountOf: ({ item }) => item.account_id,
    sizeOf,
    patienceMs: ({ outcomes }) => (outcomes > 1 ? PATIENCE_MS : 0),
    mayBeOneItem: mayBeOneRow,
    run,
  });
  // A lease may be renewed while outcomes are written: a group has one write of a chunk at most.
  const inTurnOfChunk = createKeyedTurns(1);
  return {
    write: async (chunk, outcomes, change) => {
      const bytes = storedLength(outcomes, change.rows);
      const given: Write = {
        item: { ...toItem(chunk, outcomes, change), ...(bytes > 0 ? { bytes } : {}) },
        outcomes: outcomes.succeeded.length + outcomes.failed.length,
        answers: outcomes.answers ?? outcomes.succeeded.map(() => ''),
        length: lengthOf(outcomes),
        rows: change.rows,
      };
      // Rows of a table may take long, so they delay no other chunk.
      const outcome =
        given.rows === undefined
          ? await inTurnOfChunk(`${chunk.run}/${chunk.chunk}`, () => groups.call(given))
          : (await db.inTurn(chunk.accountId, () => run([given], ROWS_LOCK_MS)))[0];
      if (outcome === BUSY) throw new Error('the account is locked by other work');
      if (outcome === 'lost' || outcome === undefined) throw new ChunkLostError();
      return outcome;
    },
  };
}
