import type { Database } from '@gleaner/db';

/** Pages that are read with one statement: some hundred kilobytes each at most, few at once. */
const AT_ONCE = 16;

interface StoredRow {
  seq: number;
  answer: string | null;
}

/** Reads the fetched pages of a route's tasks, some at a time in the order of the chunk. */
export interface StoredPages {
  /** The stored page. Each once. @throws Error it is not there */
  take(seq: number): Promise<string>;
}

export function createStoredPages(
  db: Database,
  { run, seqs }: { run: string; seqs: readonly number[] },
): StoredPages {
  const reads = new Map<number, Promise<Map<number, StoredRow>>>();
  const places = new Map(seqs.map((seq, place) => [seq, place]));
  const read = async (group: number): Promise<Map<number, StoredRow>> => {
    const some = seqs.slice(group * AT_ONCE, (group + 1) * AT_ONCE);
    const rows = await db.sql<StoredRow[]>`
      SELECT t.seq, o.answer
      FROM gleaner.tasks t JOIN gleaner.results o ON o.run_no = t.parent_no AND o.seq = t.parent_seq
      WHERE t.run_no = ${run} AND t.seq = ANY (${`{${some.join(',')}}`}::text::int[]) AND o.ok`;
    return new Map(rows.map((row) => [row.seq, row]));
  };
  return {
    take: async (seq) => {
      const group = Math.floor((places.get(seq) ?? 0) / AT_ONCE);
      const reading = reads.get(group) ?? read(group);
      reads.set(group, reading);
      const rows = await reading.catch((error: unknown) => {
        reads.delete(group);
        throw error;
      });
      const row = rows.get(seq);
      rows.delete(seq);
      if (rows.size === 0) reads.delete(group);
      if (row?.answer === undefined || row.answer === null)
        throw new Error(`page ${seq} of ${run} is not stored`);
      return row.answer;
    },
  };
}
