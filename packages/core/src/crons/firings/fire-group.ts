import { ENGINE, type Sql } from '@gleaner/db';
import type { PendingQuery, Row, TransactionSql } from 'postgres';
import type { EarlyFiring, EarlyWork } from './early-firing.ts';

type Client = Sql | TransactionSql;

export interface FiredAccount {
  id: string;
  has_run: boolean;
}

/** @returns what the runs do, each once, and its place in that list for each firing */
function shareWork(group: readonly EarlyFiring[]): { works: EarlyWork[]; places: number[] } {
  const works: EarlyWork[] = [];
  const known = new Map<string, number>();
  const places = group.map(({ run: { work } }) => {
    const key = `${work.target}\n${work.config}\n${work.sink}`;
    const place = known.get(key) ?? works.push(work);
    known.set(key, place);
    return place;
  });
  return { works, places };
}

/** A column of text, sent as lines: Postgres reads those faster than an array. */
function toLines<One>(list: readonly One[], read: (one: One) => string): string {
  return list.map(read).join('\n');
}

/** An array of `engine.firing`. */
function toFirings(
  sql: Client,
  firings: readonly EarlyFiring[],
  { kind, outcome }: { kind: 'due' | 'staged'; outcome: 'started' | null },
): PendingQuery<Row[]> {
  return sql`
    ARRAY(
      SELECT ROW(f.id, f.cron, f.account, ${kind}::text, 'schedule', f.at, f.at, nullif(f.next, ''), NULL,
        ${outcome}::text, NULL, f.run)::${sql(ENGINE)}.firing
      FROM ROWS FROM (
        string_to_table(${toLines(firings, ({ id }) => id)}, E'\n'),
        string_to_table(${toLines(firings, ({ cron }) => cron)}, E'\n'),
        string_to_table(${toLines(firings, ({ account }) => account)}, E'\n'),
        string_to_table(${toLines(firings, ({ at }) => at)}, E'\n'),
        string_to_table(${toLines(firings, ({ next }) => next ?? '')}, E'\n'),
        string_to_table(${toLines(firings, ({ run }) => run.id)}, E'\n')
      ) f (id, cron, account, at, next, run))`;
}

/**
 * The arguments of `engine.fire_crons` and `engine.stage_firings`. Equal work is sent once: due crons wait while Postgres
 * reads all that.
 */
function toArguments(sql: Client, group: readonly EarlyFiring[]): PendingQuery<Row[]> {
  const { works, places } = shareWork(group);
  const lines = (read: (one: EarlyFiring) => string): string => toLines(group, read);
  const numbers = (read: (one: EarlyFiring) => number): string => toIntegers(group.map(read));
  const workLines = (read: (work: EarlyWork) => string): string => toLines(works, read);
  return sql`
    ${toFirings(sql, group, { kind: 'due', outcome: null })},
    ARRAY(
      WITH works AS MATERIALIZED (
        SELECT w.place, w.target::jsonb AS target, w.config::jsonb AS config, nullif(w.sink::jsonb, 'null') AS sink
        FROM ROWS FROM (
          string_to_table(${workLines(({ target }) => target)}, E'\n'),
          string_to_table(${workLines(({ config }) => config)}, E'\n'),
          string_to_table(${workLines(({ sink }) => sink)}, E'\n')
        ) WITH ORDINALITY w (target, config, sink, place)
      )
      SELECT ROW(r.id, NULL, r.account, r.kind, r.name::jsonb #>> '{}', r.mode, r.queue, w.target, w.config, w.sink,
        r.webhook::jsonb #>> '{}', r.retries, r.price, r.budget, r.total, r.inputs::jsonb #>> '{}')::${sql(ENGINE)}.new_run
      FROM ROWS FROM (
        string_to_table(${lines(({ run }) => run.id)}, E'\n'),
        string_to_table(${lines(({ account }) => account)}, E'\n'),
        string_to_table(${lines(({ run }) => run.kind)}, E'\n'),
        string_to_table(${lines(({ run }) => run.name)}, E'\n'),
        string_to_table(${lines(({ run }) => run.mode)}, E'\n'),
        string_to_table(${lines(({ run }) => run.queue)}, E'\n'), unnest(${toIntegers(places)}::text::int[]),
        string_to_table(${lines(({ run }) => run.webhook)}, E'\n'),
        string_to_table(${lines(({ run }) => run.inputs)}, E'\n'),
        unnest(${numbers(({ run }) => run.retries)}::text::int[]), unnest(${numbers(({ run }) => run.price)}::text::int[]),
        unnest(${numbers(({ run }) => run.budget)}::text::int[]), unnest(${numbers(({ run }) => run.total)}::text::int[])
      ) r (id, account, kind, name, mode, queue, work, webhook, inputs, retries, price, budget, total)
      JOIN works w ON w.place = r.work),
    ${numbers(({ definition }) => definition)}::text::int[],
    ${group.map(({ parser }) => parser)}::text[], ${group.map(({ parserRead }) => parserRead)}::text[]`;
}

/** @returns the accounts of which it fired something */
export async function fireGroup(sql: Client, group: readonly EarlyFiring[]): Promise<FiredAccount[]> {
  return sql<FiredAccount[]>`
    SELECT account_id AS id, has_run FROM ${sql(ENGINE)}.fire_crons(${toArguments(sql, group)})`;
}

/** @returns the crons that it staged */
export async function stageGroup(tx: TransactionSql, group: readonly EarlyFiring[]): Promise<string[]> {
  const rows = await tx<
    { cron: string }[]
  >`SELECT cron FROM ${tx(ENGINE)}.stage_firings(${toArguments(tx, group)})`;
  return rows.map(({ cron }) => cron);
}

/**
 * Waits until firings are due that were staged in this transaction, and starts them.
 * @returns the accounts whose firings started
 */
export async function startStaged(tx: TransactionSql, staged: readonly EarlyFiring[]): Promise<string[]> {
  const needs = [...Map.groupBy(staged, ({ account }) => account)].map(([account, list]) => ({
    account,
    required: list.reduce((sum, { run }) => sum + run.price * Math.min(run.budget, run.total), 0),
    total: list.reduce((sum, { run }) => sum + run.total, 0),
  }));
  const parsers = new Map(
    staged.map(({ parser, parserRead }) => [`${parser} ${parserRead}`, { parser, parserRead }]),
  );
  const read = [...parsers.values()].filter(({ parser }) => parser !== '');
  const rows = await tx<{ id: string }[]>`
    SELECT account_id AS id FROM ${tx(ENGINE)}.start_staged(
      ${toFirings(tx, staged, { kind: 'staged', outcome: 'started' })},
      ARRAY(
        SELECT ROW(n.account, n.required, n.total)::${tx(ENGINE)}.reservation
        FROM unnest(
          ${needs.map(({ account }) => account)}::text[], ${toIntegers(needs.map(({ required }) => required))}::text::bigint[],
          ${toIntegers(needs.map(({ total }) => total))}::text::bigint[]) n (account, required, total)),
      ${read.map(({ parser }) => parser)}::text[], ${read.map(({ parserRead }) => parserRead)}::text[])`;
  return rows.map(({ id }) => id);
}

/** @returns which of them are still due: those that somebody holds, and those that are free */
export async function readDue(
  sql: Sql,
  firings: readonly EarlyFiring[],
): Promise<{ held: EarlyFiring[]; free: EarlyFiring[] }> {
  const rows = await sql<{ id: string; is_free: boolean }[]>`
    SELECT c.id, k.id IS NOT NULL AS is_free FROM unnest(${firings.map(({ cron }) => cron)}::text[]) f (id)
    JOIN gleaner.crons c ON c.id = f.id AND c.next_fire_at <= clock_timestamp()
    LEFT JOIN LATERAL (SELECT l.id FROM gleaner.crons l WHERE l.id = c.id LIMIT 1 FOR KEY SHARE SKIP LOCKED) k ON true`;
  const isFree = new Map(rows.map((row) => [row.id, row.is_free]));
  return {
    held: firings.filter(({ cron }) => isFree.get(cron) === false),
    free: firings.filter(({ cron }) => isFree.get(cron) === true),
  };
}

function toIntegers(values: readonly number[]): string {
  return `{${values.join(',')}}`;
}
