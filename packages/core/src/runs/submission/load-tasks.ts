import { pipeline } from 'node:stream/promises';
import { ENGINE, type Database } from '@gleaner/db';

/** Characters per COPY. A COPY starts when all of them have arrived, so that slow inputs hold no connection. */
const COPY_LENGTH = 1024 * 1024;
/** From this many tasks on, the planner gets fresh statistics. */
const ANALYZE_FROM = 10_000;

/**
 * Loads a run's tasks while its inputs are read, before the run exists. Nothing reads tasks without a run. They are
 * discarded; if this process dies first, they are dropped with their partition.
 */
export interface TaskLoader {
  /** Returns a promise when the caller must wait; it resolves when there is room. */
  add(line: string, carried?: string): Promise<void> | undefined;
  /** Writes the remaining tasks. */
  finish(): Promise<void>;
  /** Removes the loaded tasks. Only for a run that certainly will not exist. */
  discard(): Promise<void>;
}

/** Null in COPY. */
const NULL = String.raw`\N`;
const SPECIAL = /[\\\t\r\n]/;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\r': '\\r', '\n': '\\n' };
function escape(line: string): string {
  return SPECIAL.test(line) ? line.replaceAll(/[\\\t\r\n]/g, (char) => ESCAPES[char] ?? char) : line;
}

export function createTaskLoader(db: Database, no: string): TaskLoader {
  const prefix = `${no}\t`;
  let seq = 0;
  let bytes = 0;
  let text = '';
  let hasSent = false;
  let copying: Promise<void> = Promise.resolve();

  const copy = async (rows: string): Promise<void> => {
    const target = await db.sql`COPY gleaner.tasks (run_no, seq, input, carried) FROM STDIN`.writable();
    await pipeline([Buffer.from(rows)], target);
  };

  /** Starts a COPY after the previous one ended. Meanwhile the caller collects the next rows. */
  const send = async (): Promise<void> => {
    const rows = text;
    text = '';
    hasSent = true;
    await copying;
    copying = copy(rows);
    copying.catch(() => undefined);
  };

  return {
    add: (line, carried) => {
      text += `${prefix}${seq}\t${escape(line)}\t${carried === undefined ? NULL : escape(carried)}\n`;
      seq += 1;
      bytes += line.length + (carried?.length ?? 0) + 60;
      return text.length >= COPY_LENGTH ? send() : undefined;
    },
    finish: async () => {
      if (text !== '') await send();
      await copying;
      await db.sql`INSERT INTO gleaner.stored_deltas (run_no, bytes) VALUES (${no}, ${bytes})`;
      if (seq >= ANALYZE_FROM) await db.sql`SELECT ${db.sql(ENGINE)}.analyze_tasks(${no})`;
    },
    discard: async () => {
      text = '';
      await copying.catch(() => undefined);
      if (!hasSent) return;
      await db.sql`DELETE FROM gleaner.tasks WHERE run_no = ${no}`;
      await db.sql`DELETE FROM gleaner.stored_deltas WHERE run_no = ${no} AND account_id IS NULL`;
    },
  };
}
