import { META_COLUMNS, type Carry, type Sink } from '@gleaner/contracts';
import { invalid } from '../../platform/invalid-request.ts';
import { isMetaColumn } from '../../storage/columns/columns.ts';
import { answerColumns, resolveSink } from '../../storage/sinks/resolve-sink.ts';
import { chooseKey, readTableTypes } from '../../storage/sinks/sink-table.ts';
import { inputColumns, toCarriedNames, type CarriedNames } from '../stages/input-values.ts';
import type { TaskTarget } from '../tasks/task-spec.ts';
import { createCarryReader, renaming } from './carry-inputs.ts';
import { openRunSink, readSource, type RunSinkDeps } from './run-sink.ts';
import type { CarryWalk } from './run-inputs.ts';

/** Why a run with a source keeps none. */
export const NO_VALUES = 'keeps values of inputs, and a source gives addresses alone';

/** A run that keeps values of its inputs. */
export interface CarryingRun {
  id: string;
  accountId: string;
  target: TaskTarget;
  sink: Sink | undefined;
}

/** How a run keeps values of its inputs. */
export interface CarryPlan {
  walk: CarryWalk;
  /** Tries what became known by reading the inputs. @throws AppError as `checkColumns` */
  check(names: CarriedNames): Promise<void>;
}

/** @throws AppError invalid_request (carry): a column of the target's own */
export function requireFree(names: CarriedNames, own: readonly string[]): void {
  const taken = [...META_COLUMNS, ...own];
  const column = Object.keys(names).find((name) => taken.includes(name));
  if (column === undefined) return;
  const renamed = `input_${column.replace(/^_+/, '')}`.slice(0, 63);
  throw invalid(
    'carry',
    `the target has a field ${column} already`,
    renaming(renamed, names[column] ?? column),
  );
}

/**
 * Tries whether a run can keep these values, and write them.
 * @throws AppError invalid_request (carry, sink), not_found (sink.database), temporarily_unavailable
 */
export async function checkColumns(deps: RunSinkDeps, run: CarryingRun, names: CarriedNames): Promise<void> {
  const { sink, ...rest } = run;
  const source = await readSource(deps.parsers, run.target);
  const columns = sink?.mode === 'database' ? resolveSink(sink, source).columns : answerColumns(source);
  requireFree(
    names,
    columns.map(({ name }) => name),
  );
  if (sink?.mode === 'database')
    await openRunSink(deps, { ...rest, sink, carried: inputColumns(names, sink) });
}

/**
 * The key of the rows, when it consists of what inputs give.
 * @param isCarried whether a column that the target doesn't have holds a value of the input
 * @throws AppError invalid_request (sink.key)
 */
export async function readKey(
  deps: RunSinkDeps,
  { target, sink }: Pick<CarryingRun, 'target' | 'sink'>,
  isCarried: (column: string) => boolean,
): Promise<readonly string[] | undefined> {
  if (sink?.mode !== 'database') return undefined;
  const resolved = resolveSink(sink, await readSource(deps.parsers, target));
  const key = chooseKey(resolved);
  const isOfInput = (name: string): boolean =>
    name === '_url' || (!resolved.columns.some((column) => column.name === name) && isCarried(name));
  if (!key.every(isOfInput)) return undefined;
  if (sink.rows === undefined) return key;
  throw invalid(
    'sink.key',
    `all rows of one page would have the same key: ${key.join(', ')}`,
    'Name a field of the list’s elements in sink.key too.',
  );
}

/** Plans what a run keeps of its inputs. @throws AppError invalid_request (carry, sink.key, sink.rows) */
export async function planCarriedInputs(
  deps: RunSinkDeps,
  run: CarryingRun,
  carry: Carry,
): Promise<CarryPlan> {
  const { sink } = run;
  const columnsBy = (name: string): CarriedNames =>
    carry === true
      ? { [name]: name }
      : Object.fromEntries(Object.entries(toCarriedNames(carry)).filter((entry) => entry[1] === name));
  const known =
    sink?.mode === 'database' ? await readTableTypes(deps, { ...run, sink }) : new Map<string, string>();
  const columnsOf = (name: string) =>
    sink?.mode === 'database'
      ? inputColumns(columnsBy(name), sink).map((one) => ({
          ...one,
          type: known.get(one.column) ?? one.type,
        }))
      : [];
  return {
    walk: {
      reader: createCarryReader(carry, columnsOf),
      key: await readKey(deps, run, (column) => !isMetaColumn(column)),
    },
    check: async (names) => {
      if (carry === true) await checkColumns(deps, run, names);
    },
  };
}
