export const DATABASE_KINDS = ['managed', 'postgres'] as const;
export type DatabaseKind = (typeof DATABASE_KINDS)[number];

/** Types of the columns that sinks create. */
export const COLUMN_TYPES = [
  'text',
  'double precision',
  'bigint',
  'boolean',
  'date',
  'timestamptz',
  'jsonb',
] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

/** Columns that every row of a sink has in addition to the parser's. */
export const META_COLUMNS = ['_url', '_fetched_at', '_run_id'] as const;

/** What happens to a field without a column. */
export const SINK_CONTRACTS = ['evolve', 'freeze', 'discard'] as const;

/** Whether a null of a new row overwrites a value. */
export const NULL_RULES = ['keep', 'overwrite'] as const;
export type NullRule = (typeof NULL_RULES)[number];

/** States of the work that makes results rows of a table after their batch had none. */
export const KEEP_STATES = ['running', 'succeeded', 'failed'] as const;

/** What becomes of a row whose key its pages give no more. */
export const MISSING_RULES = ['keep', 'mark', 'delete'] as const;
/** What became of what a run held back as a whole. */
export const PUBLICATIONS = ['none', 'held', 'publishing', 'published', 'discarded'] as const;
export type Publication = (typeof PUBLICATIONS)[number];

export type MissingRule = (typeof MISSING_RULES)[number];

/** What became of a row. */
export const CHANGE_KINDS = ['new', 'changed', 'removed', 'returned'] as const;
export const CHANGE_FORMATS = ['json', 'ndjson', 'csv', 'atom'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];
/** The kinds as messages and pages call them. */
export const CHANGE_WORDS = {
  new: 'new',
  changed: 'changed',
  removed: 'gone',
  returned: 'back',
} as const satisfies Record<ChangeKind, string>;

/** What happens when the parser of a sink seems broken. */
export const DRIFT_RULES = ['quarantine', 'pause'] as const;
export type DriftRule = (typeof DRIFT_RULES)[number];

/** Exports as lines of text. */
export const TEXT_EXPORT_FORMATS = ['ndjson', 'csv'] as const;
export type TextExportFormat = (typeof TEXT_EXPORT_FORMATS)[number];
/** Exports of records without types of columns. */
export const UNTYPED_EXPORT_FORMATS = ['ndjson', 'csv', 'xlsx'] as const;
export const EXPORT_FORMATS = ['ndjson', 'csv', 'parquet', 'xlsx'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Whether cells that a spreadsheet would run as formulas are guarded by an apostrophe. */
export const FORMULA_RULES = ['guard', 'keep'] as const;
export type FormulaRule = (typeof FORMULA_RULES)[number];
