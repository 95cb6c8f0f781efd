import {
  IDENTIFIER,
  IDENTIFIER_RULE,
  isSinkType,
  type DriftRule,
  type MissingRule,
} from '@gleaner/contracts/values';

/** Where the rows of a run go, as a form holds it. */
export interface SinkChoice {
  /** Null: the results stay with the run. */
  database: string | null;
  table: string;
  /** Absent: rows are written whatever happens. */
  onDrift?: DriftRule | undefined;
  /** Columns that identify a row; absent: the parser's own key, else its address. */
  key?: readonly string[] | undefined;
  /** Types of columns that the table gets, as Postgres writes them; absent: those of the fields. */
  types?: Readonly<Record<string, string>> | undefined;
  /** The table keeps its changes; absent: as it is. */
  history?: HistoryChoice | undefined;
}

export interface HistoryChoice {
  /** What becomes of rows that their pages give no more. */
  missing?: MissingRule | undefined;
  /** Removals of more than this share of the rows wait; absent: the service's default. */
  removed?: number | undefined;
}

/** In place of a database: a managed one that is made when the work is sent. */
export const MADE = 'made';

/** The name of a table for what has this name: `kettle_prices` for `Kettle prices`. */
export function tableNameOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, 60)
    .replace(/^_+|_+$/g, '');
  if (plain === '') return 'results';
  return /^\d/.test(plain) ? `t_${plain}` : plain;
}

export const NO_SINK: SinkChoice = { database: null, table: '' };

/** The part of a sink that a form holds; undefined without a database, or while that is not made. */
export function sinkOfChoice({ database, table, key, onDrift, types, history }: SinkChoice) {
  if (database === null || database === MADE) return undefined;
  return {
    mode: 'database' as const,
    database,
    table,
    ...keyOf(key),
    ...(onDrift === undefined ? {} : { on_drift: onDrift }),
    ...(types === undefined ? {} : { types }),
    ...historyOf(history),
  };
}

/** The setting of a sink for the key of its rows. */
export function keyOf(key: SinkChoice['key']): { key?: string[] } {
  return key === undefined || key.length === 0 ? {} : { key: [...key] };
}

interface HistorySettings {
  history?: boolean | undefined;
  missing?: MissingRule | undefined;
  expect?: { removed?: number | undefined } | undefined;
}

/** The settings of a sink that the form of a table's history holds. */
export function historyOf(history: HistoryChoice | undefined): HistorySettings {
  if (history === undefined) return {};
  const { missing, removed } = history;
  return {
    history: true,
    ...(missing === undefined ? {} : { missing }),
    ...(removed === undefined ? {} : { expect: { removed } }),
  };
}

/** A sink without what every form of a target holds, so that only its choice counts. */
export function withoutChoice<
  S extends { key?: unknown; types?: unknown; history?: unknown; missing?: unknown; expect?: unknown },
>(sink: S) {
  const { key: _key, types: _types, history: _history, missing: _missing, expect: _expect, ...rest } = sink;
  return rest;
}

/** The choice that a sink's settings were. */
export function historyChoiceOf({ history, missing, expect }: HistorySettings): HistoryChoice | undefined {
  if (history !== true && missing === undefined && expect === undefined) return undefined;
  return {
    ...(missing === undefined ? {} : { missing }),
    ...(expect?.removed === undefined ? {} : { removed: expect.removed }),
  };
}

/** The choice that a record's sink was. */
export function choiceOfSink(sink: object | null): SinkChoice {
  const known: Partial<ReturnType<typeof sinkOfChoice> & object> = sink ?? {};
  return known.mode === 'database'
    ? {
        database: known.database ?? null,
        table: known.table ?? '',
        key: known.key,
        onDrift: known.on_drift,
        types: known.types,
        history: historyChoiceOf(known),
      }
    : NO_SINK;
}

/** The missing or wrong part of a sink, in words; undefined when it is complete. */
export function lackOfSink({ database, table, key = [], types = {} }: SinkChoice): string | undefined {
  if (database === null) return 'Choose a database and a table.';
  if (table === '') return 'Name the table that gets the rows.';
  if (!IDENTIFIER.test(table)) return `The name of the table ${IDENTIFIER_RULE}.`;
  const wrong = key.find((column) => !IDENTIFIER.test(column));
  if (wrong !== undefined) return `The name of the column ${wrong} ${IDENTIFIER_RULE}.`;
  for (const [column, type] of Object.entries(types)) {
    if (!IDENTIFIER.test(column)) return `The name of the column ${column} ${IDENTIFIER_RULE}.`;
    if (!isSinkType(type)) return `Choose a type for the column ${column}.`;
  }
  return undefined;
}
