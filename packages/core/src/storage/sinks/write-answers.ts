import { ERRORS } from '@gleaner/contracts';
import type { Database } from '@gleaner/db';
import type { SinkWriter } from './sink-writer.ts';
import { addCounts, countRows, type RowCounts } from './row-counts.ts';
import { writeSettledRows } from './write-rows.ts';

/** The most text of the rows of one statement, but for those of one answer. */
const TEXT_AT_ONCE = 8 * 1024 * 1024;

/** An answer that is written after its chunk ended. */
export interface StoredAnswer {
  seq: number;
  url: string;
  /** JSON text. */
  answer: string;
  /** When its page was fetched, as Postgres writes it. */
  fetched_at: string;
}

interface AnswerDeps {
  db: Database;
  /** The run that counts what its rows changed. */
  runNo: string;
}

type SinkRows = Parameters<SinkWriter['settledRows']>[0];

/** Writes rows with the time at which their page was fetched. @returns why single rows were refused, by index */
export async function writeAnswers(
  deps: AnswerDeps,
  sink: SinkWriter,
  answers: readonly StoredAnswer[],
  valuesOf: (seq: number) => Readonly<Record<string, unknown>>,
): Promise<Map<number, string>> {
  await sink.prepare();
  const refused = new Map<number, string>();
  const places = new Map<SinkRows[number], number>();
  let length = 0;
  for (const { seq, url, answer, fetched_at: at } of answers) {
    const data = JSON.parse(answer) as unknown;
    const fetchedAt = new Date(at).toISOString();
    const made = sink.toRows({ url, fetchedAt, data, carried: valuesOf(seq) });
    if ('error' in made) {
      refused.set(seq, made.error.detail ?? ERRORS[made.error.code].text);
      continue;
    }
    for (const row of made.rows) {
      places.set(row, seq);
      for (const cell of row.cells) length += cell?.length ?? 0;
    }
    if (length < TEXT_AT_ONCE) continue;
    await writePlaced(deps, sink, places, refused);
    length = 0;
  }
  await writePlaced(deps, sink, places, refused);
  return refused;
}

/** Writes the rows and forgets them. */
async function writePlaced(
  deps: AnswerDeps,
  sink: SinkWriter,
  places: Map<SinkRows[number], number>,
  refused: Map<number, string>,
): Promise<void> {
  const rows = [...places.keys()];
  if (rows.length === 0) return;
  const { sql } = deps.db;
  if (sink.kind === 'managed') await writeSettledRows(sql, sink.settledRows(rows), deps.runNo);
  else {
    const counts: RowCounts[] = [];
    for (const [row, error] of await sink.writeExternal(rows, (some) => counts.push(some))) {
      const seq = places.get(row);
      if (seq !== undefined) refused.set(seq, error.detail ?? ERRORS[error.code].text);
    }
    await countRows(sql, deps.runNo, addCounts(counts));
  }
  places.clear();
}
