import { AppError, nextFiring, toStorableJson } from '@gleaner/contracts';
import { createId } from '../../platform/ids.ts';
import type { RunRow } from '../../runs/submission/create-run.ts';
import type { ResolvedTarget } from '../../runs/submission/resolve-target.ts';
import type { SubmitServices } from '../../runs/submission/run-services.ts';
import { readWork, type CronRow } from '../cron-record.ts';
import { cronRun } from '../cron-submission.ts';

/** Firings of one statement: its accounts are locked for about 30 ms. */
const TOGETHER = 100;

/** A firing with its prepared run. Times are ISO 8601. */
export interface EarlyFiring {
  /** Milliseconds since the epoch. */
  due: number;
  account: string;
  cron: string;
  definition: number;
  parser: string;
  parserRead: string;
  id: string;
  at: string;
  /** The due time after `at`. */
  next: string | null;
  run: EarlyRun;
}

/** A run for `engine.new_run`. What may have line breaks is JSON. */
type EarlyRun = Pick<RunRow, 'id' | 'kind' | 'mode' | 'queue' | 'retries' | 'price' | 'budget' | 'total'> &
  Record<'name' | 'webhook' | 'inputs', string> & {
    /** Often the same for many crons of an account. */
    work: EarlyWork;
  };

/** JSON. */
export type EarlyWork = Record<'target' | 'config' | 'sink', string>;

function toJson(value: unknown): string {
  return toStorableJson(value ?? null);
}

function toEarlyFiring(row: CronRow, due: number, run: RunRow, target: ResolvedTarget): EarlyFiring {
  const { id, kind, mode, queue, retries, price, budget, total } = run;
  const next = nextFiring(row.schedule, row.timezone, due);
  return {
    due,
    account: row.accountId,
    cron: row.id,
    definition: row.definition,
    parser: target.target.type === 'parser' ? target.target.parserId : '',
    parserRead: target.parserRead ?? '',
    id: createId('firing'),
    at: new Date(due).toISOString(),
    next: next === null ? null : new Date(next).toISOString(),
    run: {
      id,
      kind,
      mode,
      queue,
      retries,
      price,
      budget,
      total,
      name: toJson(run.name),
      work: { target: toJson(run.target), config: toJson(run.config), sink: toJson(run.sink) },
      webhook: toJson(run.webhook_url),
      inputs: toJson(run.inputs),
    },
  };
}

/** Characters that it holds in memory, about. */
export function sizeOf({ run: { work, inputs } }: EarlyFiring): number {
  return 500 + work.target.length + work.config.length + work.sink.length + inputs.length;
}

/** Undefined: it is prepared when it is due. */
export async function prepareEarly(
  services: SubmitServices,
  row: CronRow,
  due: number,
): Promise<EarlyFiring | undefined> {
  try {
    const prepared = await cronRun(services, row.accountId, readWork(services, row)).prepareRow?.();
    return prepared && toEarlyFiring(row, due, prepared.row, prepared.target);
  } catch (error) {
    // One cron's fault must not stop the others.
    if (!(error instanceof AppError))
      services.log.warn({ err: error, cron: row.id }, 'a cron could not be prepared before it is due');
    return undefined;
  }
}

/** Groups of about `TOGETHER`, an account's firings in one. In random order, so that processes meet rarely. */
export function toGroups(firings: readonly EarlyFiring[]): EarlyFiring[][] {
  const groups: EarlyFiring[][] = [];
  let group: EarlyFiring[] = [];
  for (const list of Map.groupBy(firings, ({ account }) => account).values()) {
    for (let start = 0; start < list.length; start += TOGETHER) {
      const part = list.slice(start, start + TOGETHER);
      if (group.length + part.length > TOGETHER) {
        groups.push(group);
        group = [];
      }
      group.push(...part);
    }
  }
  groups.push(group);
  return groups
    .filter((one) => one.length > 0)
    .map((one) => ({ one, order: Math.random() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ one }) => one);
}
