import { setTimeout as delay } from 'node:timers/promises';
import { createKeyedTurns } from '@gleaner/contracts';
import { ENGINE } from '@gleaner/db';
import { LRUCache } from 'lru-cache';
import type { Services } from '../../platform/context.ts';
import { deliverAdmitted, type AdmittedRow } from '../deliveries/admitted.ts';
import type { Children } from '../tasks/children.ts';
import type { Carried } from './make-children.ts';

/** Children of one row of `child_batches`: bounds what one call of `number_children` takes at once. */
const MAX_IN_BATCH = 2_000;

/** The children that tasks of one chunk give to further stages. */
export interface ChunkChildren {
  rootNo: string;
  /** Children by task. */
  children: readonly { seq: number; given: readonly Children[] }[];
}

interface Batch {
  run: string;
  parentSeqs: number[];
  inputs: string[];
  carried: string[] | null;
  values: Record<string, string>;
  refused: number;
}

function toBatches(children: ChunkChildren['children']): Batch[] {
  const done: Batch[] = [];
  const open = new Map<string, Batch>();
  const openFor = (run: string): Batch => {
    const known = open.get(run);
    if (known && known.inputs.length < MAX_IN_BATCH) return known;
    const batch: Batch = { run, parentSeqs: [], inputs: [], carried: null, values: {}, refused: 0 };
    open.set(run, batch);
    done.push(batch);
    return batch;
  };
  for (const { seq, given } of children) {
    for (const { run, inputs, carried, values, refused } of given) {
      const first = openFor(run);
      first.refused += refused;
      Object.assign(first.values, values);
      for (const [index, input] of inputs.entries()) {
        const batch = openFor(run);
        batch.parentSeqs.push(seq);
        batch.inputs.push(input);
        if (carried) (batch.carried ??= []).push(carried[index] ?? '{}');
      }
    }
  }
  return done;
}

/** Children as the engine stores them with their results. */
export function childBatches({ children }: ChunkChildren) {
  return toBatches(children).map((batch) => ({
    ...batch,
    inputs: batch.inputs.join('\n'),
    carried: batch.carried?.join('\n') ?? null,
  }));
}

export type StageServices = Pick<Services, 'db' | 'queue' | 'log'>;

/** A row of `engine.number_children`. */
export type NumberedRow = AdmittedRow & { is_more: boolean };

/** Makes tasks of a workflow run's children, as far as there are credits, and delivers the admitted chunks. */
async function numberChildren({ db, queue, log }: StageServices, rootNo: string): Promise<void> {
  for (;;) {
    const rows = await db.sql<NumberedRow[]>`
      SELECT is_more, (delivery).* FROM ${db.sql(ENGINE)}.number_children(${rootNo})`;
    await deliverAdmitted(queue, log, rows);
    if (rows[0]?.is_more !== true) return;
  }
}

/** Makes tasks of the children that a workflow run (`runs.no`) has at the time of the call. Never rejects. */
export type Numbering = (rootNo: string) => Promise<void>;

/** A call waits as long as the one before took, at most; milliseconds. */
const MAX_PAUSE_MS = 100;

/**
 * Numbers children once for all chunks of this process that need it for the same workflow run at about the same time:
 * separate calls would only wait for each other, each with a connection. It is busy half of the time at most, so that a call
 * finds the more the slower they are.
 */
export function createNumbering(services: StageServices): Numbering {
  const inTurn = createKeyedTurns(1);
  /** Calls that have not begun, which find the children of all callers. */
  const waiting = new Map<string, Promise<void>>();
  /** Until when the next call waits. */
  const pauses = new LRUCache<string, number>({ max: 1_000 });
  return (rootNo) => {
    const known = waiting.get(rootNo);
    if (known) return known;
    const next = inTurn(rootNo, async () => {
      await delay(Math.max(0, (pauses.get(rootNo) ?? 0) - performance.now()));
      waiting.delete(rootNo);
      const begunAt = performance.now();
      await numberChildren(services, rootNo).catch((err: unknown) => {
        services.log.warn({ err, rootNo }, 'children are not tasks yet; the sweeper will number them');
      });
      const tookMs = performance.now() - begunAt;
      pauses.set(rootNo, performance.now() + Math.min(tookMs, MAX_PAUSE_MS));
    });
    waiting.set(rootNo, next);
    return next;
  };
}

/** What a task keeps of its ancestors, as far as it is known: long values are named by their keys. */
export interface StoredCarried {
  short: Carried;
  long: Readonly<Record<string, string>>;
}

const NOTHING_CARRIED: StoredCarried = { short: {}, long: {} };

export function toStoredCarried(text: string): StoredCarried {
  // Written by make-children, or by the submission of the run.
  const written = JSON.parse(text) as Carried | [Carried, Record<string, string>];
  if (!Array.isArray(written)) return { short: written, long: {} };
  const [short, long] = written;
  return { short, long };
}

/** What a chunk's tasks keep of their ancestors, one per task. */
export async function readCarried(
  { db }: Pick<Services, 'db'>,
  chunk: { run: string; seqs: readonly number[] },
): Promise<StoredCarried[]> {
  const rows = await db.sql<{ seq: number; carried: string | null }[]>`
    SELECT seq, carried FROM gleaner.tasks
    WHERE run_no = ${chunk.run} AND seq = ANY (${`{${chunk.seqs.join(',')}}`}::text::int[])`;
  const known = new Map(rows.map(({ seq, carried }) => [seq, carried]));
  return chunk.seqs.map((seq) => {
    const text = known.get(seq) ?? null;
    return text === null ? NOTHING_CARRIED : toStoredCarried(text);
  });
}

/** All that a task keeps of its ancestors. Long values are read here, so that only tasks that end hold them. */
export type CarriedReader = (run: string, stored: StoredCarried) => Promise<Carried>;

/** UTF-16 units of long values that a process remembers: tasks of one parent follow each other. */
const MOST_REMEMBERED = 16 * 1024 * 1024;

export function createCarriedReader({ db }: Pick<Services, 'db'>): CarriedReader {
  const values = new LRUCache<string, { text: string; value: unknown }>({
    maxSize: MOST_REMEMBERED,
    sizeCalculation: ({ text }) => text.length + 1,
  });
  const read = async (run: string, key: string): Promise<unknown> => {
    const known = values.get(`${run} ${key}`);
    if (known) return known.value;
    const [row] = await db.sql<{ text: string }[]>`
      SELECT value AS text FROM gleaner.carried_values WHERE run_no = ${run} AND key = ${key}`;
    if (!row) return null;
    const value = JSON.parse(row.text) as unknown;
    values.set(`${run} ${key}`, { text: row.text, value });
    return value;
  };
  return async (run, { short, long }) => {
    const all: Record<string, unknown> = { ...short };
    for (const [name, key] of Object.entries(long)) all[name] = await read(run, key);
    return all;
  };
}
