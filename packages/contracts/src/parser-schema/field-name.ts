import { identifierField } from '../fields.ts';
import { META_COLUMNS } from '../values/index.ts';

/** Columns that every row of a sink already has. */
const RESERVED = new Set<string>(META_COLUMNS);

/** Name of a field: it becomes a column. */
export const fieldName = identifierField.refine(
  (name) => !RESERVED.has(name),
  `is reserved: every row of a database has ${META_COLUMNS.join(', ')}; choose another name`,
);
