import type { Carry, Sink } from '@gleaner/contracts';
import type { Services } from '../../platform/context.ts';
import type { RunConfig } from '../tasks/run-config.ts';
import type { CarriedColumn, StageSpec } from './stage-spec.ts';
import { createCarriedReader, readCarried, toStoredCarried } from './store-children.ts';

const PREFIX = '$.input.';

/** The name, among the values that a task keeps, of a value of the input. */
export function inputValueName(name: string): string {
  return `${PREFIX}${name}`;
}

/** The names of the values that are kept, by the column that holds them. */
export type CarriedNames = Readonly<Record<string, string>>;

export function toCarriedNames(carry: Exclude<Carry, true>): CarriedNames {
  return Array.isArray(carry) ? Object.fromEntries(carry.map((name) => [name, name])) : carry;
}

/** The columns of a sink for values of the input, as they are in a table that lacks them. */
export function inputColumns(carry: CarriedNames, sink: Sink | null | undefined): CarriedColumn[] {
  const types = sink?.mode === 'database' ? (sink.types ?? {}) : {};
  return Object.entries(carry).map(([column, name]) => ({
    column,
    type: types[column] ?? 'text',
    from: inputValueName(name),
  }));
}

/** The columns of a run's rows beside those of its target: of ancestors in a stage, else of the input. */
export function carriedColumns({
  stage,
  config,
  sink,
}: {
  stage?: Pick<StageSpec, 'columns'> | null | undefined;
  config: Pick<RunConfig, 'carry'>;
  sink: Sink | null;
}): readonly CarriedColumn[] {
  return stage?.columns ?? inputColumns(config.carry ?? {}, sink);
}

/** What a task keeps of its run's input, by name; undefined when it keeps nothing of it. */
export type InputValues = Readonly<Record<string, unknown>> | undefined;

/** @returns reads it from `tasks.carried` of a run (`runs.no`) */
export function createInputReader(
  services: Pick<Services, 'db'>,
): (run: string, carried: string | null) => Promise<InputValues> {
  const readAll = createCarriedReader(services);
  return async (run, carried) => {
    // That of a source's entry is a time.
    if (carried === null || !carried.includes(`"${PREFIX}`)) return undefined;
    const all = await readAll(run, toStoredCarried(carried));
    return Object.fromEntries(
      Object.entries(all).flatMap(([name, value]) =>
        name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), value]] : [],
      ),
    );
  };
}

/** The values of columns beside those of the target, for rows that are written after their chunk ended. @returns by seq */
export async function readColumnValues(
  services: Pick<Services, 'db'>,
  {
    run,
    columns,
    tasks,
  }: { run: string; columns: readonly CarriedColumn[]; tasks: readonly { seq: number }[] },
): Promise<(seq: number) => Readonly<Record<string, unknown>>> {
  const values = new Map<number, Readonly<Record<string, unknown>>>();
  if (columns.length > 0) {
    const seqs = tasks.map(({ seq }) => seq);
    const stored = await readCarried(services, { run, seqs });
    const readAll = createCarriedReader(services);
    for (const [place, seq] of seqs.entries()) {
      const all = await readAll(run, stored[place] ?? { short: {}, long: {} });
      values.set(seq, Object.fromEntries(columns.map(({ column, from }) => [column, all[from] ?? null])));
    }
  }
  return (seq) => values.get(seq) ?? {};
}
