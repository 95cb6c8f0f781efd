import { pipeline } from 'node:stream/promises';
import type { Database } from '@gleaner/db';

/** Rows of one COPY: its connection is held for this many rows alone, however slowly they arrive. */
const COPY_LENGTH = 1024 * 1024;
/** From here on the planner gets fresh statistics. */
const ANALYZE_FROM = 10_000;

/**
 * Loads a run's tasks while its inputs are read. Without the run they mean nothing: they are discarded, or, when this
 * process dies, go with their partition.
 */
export interface TaskLoader {
  /** Resolves when there is room for more. */
  add(line: string): Promise<void> | undefined;
  /** Lines so far. */
  count(): number;
  /** Writes what is left. */
  finish(): Promise<void>;
  /** Removes what was loaded. Only for a run that certainly will not come to be. */
  discard(): Promise<void>;
}

const SPECIAL = /[\\\t\r\n]/;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\r': '\\r', '\n': '\\n' };
function escape(line: string): string {
  return SPECIAL.test(line) ? line.replaceAll(/[\\\t\r\n]/g, (char) => ESCAPES[char] ?? char) : line;
}

export function createTaskLoader(db: Database, no: string): TaskLoader {
  const prefix = `${no}\t`;
  let seq = 0;
  let text = '';
  let hasSent = false;
  let copying: Promise<void> = Promise.resolve();

  const copy = async (rows: string): Promise<void> => {
    const target = await db.sql`COPY gleaner.tasks (run_no, seq, input) FROM STDIN`.writable();
    await pipeline([Buffer.from(rows)], target);
  };

  /** One COPY is under way while the next one's rows are gathered. */
  const send = async (): Promise<void> => {
    const rows = text;
    text = '';
    hasSent = true;
    await copying;
    copying = copy(rows);
    copying.catch(() => undefined);
  };

  return {
    add: (line) => {
      text += `${prefix}${seq}\t${escape(line)}\n`;
      seq += 1;
      return text.length >= COPY_LENGTH ? send() : undefined;
    },
    count: () => seq,
    finish: async () => {
      if (text !== '') await send();
      await copying;
      if (seq >= ANALYZE_FROM) await db.sql`SELECT engine.analyze_tasks(${no})`;
    },
    discard: async () => {
      text = '';
      await copying.catch(() => undefined);
      if (hasSent) await db.sql`DELETE FROM gleaner.tasks WHERE run_no = ${no}`;
    },
  };
}
