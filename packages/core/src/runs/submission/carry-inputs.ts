import {
  isObject,
  MAX_CARRIED,
  MAX_CARRIED_BYTES,
  shortenText,
  toStorableJson,
  type Carry,
} from '@gleaner/contracts';
import { invalid } from '../../platform/invalid-request.ts';
import { fitCarried } from '../../storage/columns/table-types.ts';
import type { CarriedColumn } from '../stages/stage-spec.ts';
import { inputValueName, toCarriedNames, type CarriedNames } from '../stages/input-values.ts';

/** An input without what its task keeps of it. */
export interface TakenInput {
  /** What the target takes. */
  value: unknown;
  /** `tasks.carried` of its task. */
  carried: string;
  /** The values as text of their columns, by column; without those that are null, and empty without a table. */
  cells: ReadonlyMap<string, string>;
}

/** Takes inputs apart, in their order. */
export interface CarryReader {
  /** @throws AppError invalid_request (carry), for `true`: too many names, or one that is no name of a column */
  take(value: unknown): TakenInput | { fault: string };
  /** What is kept, when all inputs were taken. @throws AppError invalid_request (carry): a name that no input has */
  names(): CarriedNames;
}

const COLUMN = /^[a-z_][a-z0-9_]{0,62}$/;
const MAX_SHOWN = 80;

/** The form of `carry` that names a column for a value, for hints. */
export function renaming(column: string, name: string): string {
  return `Name the column: "carry": ${JSON.stringify({ [column]: name })}.`;
}

function requireColumn(name: string): void {
  if (COLUMN.test(name)) return;
  const column = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^(?=\d|$)/, '_')
    .slice(0, 63);
  throw invalid(
    'carry',
    `${shortenText(name, MAX_SHOWN)} can’t be the name of a column`,
    renaming(column, name),
  );
}

/** The names of the values that inputs have, for `carry: true`. @throws AppError invalid_request (carry) */
export function namesOfInputs(inputs: readonly unknown[]): string[] {
  const reader = createCarryReader(true, () => []);
  for (const input of inputs) reader.take(input);
  return Object.values(reader.names());
}

/** What a run writes a value of its inputs to. */
type ColumnsOf = (name: string) => readonly Pick<CarriedColumn, 'column' | 'type'>[];

/** Names of columns of a CSV are in lower case. */
function valueOf(own: Readonly<Record<string, unknown>>, name: string): unknown {
  const known = Object.hasOwn(own, name) ? name : name.toLowerCase();
  return Object.hasOwn(own, known) ? (own[known] ?? null) : null;
}

/** Adds the cells of a value. @returns why it doesn't fit one of them */
function fit(cells: Map<string, string>, columns: ReturnType<ColumnsOf>, value: unknown): string | undefined {
  for (const { column, type } of columns) {
    const cell = fitCarried(value, type);
    if (cell === undefined)
      return `${shortenText(toStorableJson(value), MAX_SHOWN)} does not fit column ${column}, which is ${type}`;
    cells.set(column, cell);
  }
  return undefined;
}

/** The names of values, learned from inputs when all are kept. */
function createNames(carry: Carry) {
  if (Array.isArray(carry)) for (const name of carry) requireColumn(name);
  const byColumn = new Map(carry === true ? [] : Object.entries(toCarriedNames(carry)));
  return {
    byColumn,
    learn: (own: Readonly<Record<string, unknown>>): void => {
      for (const name of Object.keys(own).toSorted()) {
        if (name === '' || byColumn.has(name)) continue;
        requireColumn(name);
        byColumn.set(name, name);
        if (byColumn.size > MAX_CARRIED)
          throw invalid(
            'carry',
            `the inputs have more than ${MAX_CARRIED} values beside url`,
            'Name those to keep.',
          );
      }
    },
  };
}

/**
 * @param columnsOf the columns of a value, with their types
 * @param further names of values that are kept too, when inputs have them
 * @throws AppError invalid_request (carry): a list with a name that is no name of a column
 */
export function createCarryReader(
  carry: Carry,
  columnsOf: ColumnsOf,
  further: readonly string[] = [],
): CarryReader {
  const { byColumn, learn } = createNames(carry);
  const lacking = new Set(byColumn.values());
  return {
    take: (value) => {
      const isNamed = isObject(value);
      const { url, ...own } = isNamed ? value : {};
      if (carry === true) learn(own);
      const kept: [name: string, value: unknown][] = [];
      const cells = new Map<string, string>();
      for (const name of new Set([...byColumn.values(), ...further])) {
        const found = valueOf(own, name);
        // Of all values, an input has those that it has.
        if (found !== null || carry !== true) kept.push([inputValueName(name), found]);
        if (found === null) continue;
        lacking.delete(name);
        const fault = fit(cells, columnsOf(name), found);
        if (fault !== undefined) return { fault };
      }
      const carried = toStorableJson(Object.fromEntries(kept));
      const size = Buffer.byteLength(carried) - kept.length * inputValueName('').length;
      if (size > MAX_CARRIED_BYTES)
        return { fault: `its values are ${size} bytes as JSON; at most ${MAX_CARRIED_BYTES} are kept` };
      return { value: isNamed ? url : value, carried, cells };
    },
    names: () => {
      const [absent] = lacking;
      if (absent !== undefined)
        throw invalid('carry', `no input has a value ${shortenText(absent, MAX_SHOWN)}`);
      return Object.fromEntries(byColumn);
    },
  };
}
