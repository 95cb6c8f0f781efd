import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { findViolations } from '@gleaner/core/find-violations';
import { startChaosSite, type ChaosSite } from './chaos-site.ts';
import { buildFaults, type FaultOptions } from './faults.ts';
import {
  cancelRound,
  CONCURRENCY,
  createTenant,
  submitRound,
  type Accepted,
  type Mix,
  type Tenant,
} from './load.ts';
import { createRandom } from '../random.ts';
import { startWorld, type Backend, type World } from './world.ts';

export interface ChaosOptions extends FaultOptions {
  backend: Backend;
  rounds: number;
  seed: number;
  /** Inputs of each batch. */
  size: number;
  /** What else each account does: a workflow of three stages, two crawls. */
  mix?: readonly Mix[];
  /** Only faults whose name holds this. */
  only?: string | undefined;
  /** Beginnings of the names of the faults, in turn, instead of chance. */
  plan?: readonly string[];
  /** How soon a killed worker's page must be fetched again. Default: the promise. */
  recoveryWithinMs?: number;
  say: (line: string) => void;
}

export interface ChaosResult {
  rounds: number;
  violations: string[];
  served: number;
  servedAgain: number;
  /** Longest wait of a page whose worker was killed for its next fetch. */
  longestRecoveryMs: number;
  peak: number;
}

/** Everything must be done this long after the fault is over. */
const QUIET_WITHIN_MS = 120_000;
/** The promise after a kill. */
const RECOVERY_WITHIN_MS = 10_000;
const MAX_AGAIN = 0.03;

export async function awaitQuiet(world: World): Promise<boolean> {
  const until = Date.now() + QUIET_WITHIN_MS;
  while (Date.now() < until) {
    try {
      const [row] = await world.db.sql<{ busy: number }[]>`
        SELECT (SELECT count(*) FROM gleaner.runs WHERE state IN ('pending', 'running'))::int
          + (SELECT count(*) FROM gleaner.requests WHERE state IN ('waiting', 'queued', 'running'))::int AS busy`;
      if (row?.busy === 0) return true;
    } catch {
      // Postgres may still recover.
    }
    await delay(250);
  }
  return false;
}

/** Rows of the tables that this round wrote: one per page that exists. */
async function checkRows(world: World, accepted: Accepted): Promise<string[]> {
  const faults: string[] = [];
  for (const [table, expected] of accepted.rows) {
    const [row] = await world.db.sql.unsafe<{ rows: number; urls: number }[]>(
      `SELECT count(*)::int AS rows, count(DISTINCT _url)::int AS urls FROM ${table}`,
    );
    if (row?.rows !== expected || row.urls !== expected) {
      faults.push(`${table} has ${row?.rows} rows of ${row?.urls} pages, not ${expected}`);
    }
  }
  for (const table of accepted.carried) {
    // A page's name begins with that of its item, and an item's with round and page of its list.
    const wrong = await world.db.sql.unsafe<{ _url: string; item: string; list: string }[]>(
      `SELECT _url, item, list FROM ${table} WHERE split_part(_url, '/', 6) <> split_part(item, '/', 4) || '-more'
        OR split_part(item, '/', 4) NOT LIKE regexp_replace(split_part(list, '/', 4), '-[0-9]+-[0-9]+$', '') || '-%'`,
    );
    if (wrong.length > 0)
      faults.push(`${table} has rows with other ancestors: ${JSON.stringify(wrong.slice(0, 2))}`);
  }
  return faults;
}

/** A crawl that its limit cuts has the same pages every time. */
async function checkSets(world: World, { sets }: Accepted): Promise<string[]> {
  const faults: string[] = [];
  for (const [table, urls] of sets) {
    const rows = await world.db.sql.unsafe<{ _url: string }[]>(`SELECT _url FROM ${table} ORDER BY _url`);
    const found = rows.map(({ _url }) => _url);
    if (isDeepStrictEqual(found.toSorted(), urls.toSorted())) continue;
    const other = found.filter((url) => !urls.includes(url));
    faults.push(
      `${table} has ${found.length} pages, not ${urls.length}; others are ${other.slice(0, 3).join(', ')}`,
    );
  }
  return faults;
}

/**
 * Rows of an external database are written before their outcomes are: at least once, and the same row each time. So a
 * page that succeeded has its row, no page has two, and a page may have one whose task failed later.
 */
async function checkExternalRows(world: World, accepted: Accepted): Promise<string[]> {
  const faults: string[] = [];
  for (const [table, { batch, pages }] of accepted.externalRows) {
    const [run] = await world.db.sql<{ succeeded: number }[]>`
      SELECT succeeded::int FROM gleaner.runs WHERE id = ${batch}`;
    const { sql } = world.elsewhere.db;
    const [row] = await sql<{ rows: number; urls: number }[]>`
      SELECT count(*)::int AS rows, count(DISTINCT _url)::int AS urls FROM ${sql(table)}`;
    const succeeded = run?.succeeded ?? Number.NaN;
    if (!(row?.rows === row?.urls && Number(row?.rows) >= succeeded && Number(row?.rows) <= pages)) {
      faults.push(
        `${table} elsewhere has ${row?.rows} rows of ${row?.urls} pages; ${succeeded} of ${pages} succeeded`,
      );
    }
  }
  return faults;
}

export async function checkAccepted(world: World, accepted: Pick<Accepted, 'batches'>): Promise<string[]> {
  const rows = await world.db.sql`
    SELECT wanted.id FROM unnest(${accepted.batches}::text[]) wanted (id)
    LEFT JOIN gleaner.runs r ON r.id = wanted.id WHERE r.id IS NULL`;
  return rows.map((row) => `accepted work is gone: ${String(row.id)}`);
}

/** What Postgres refuses fails alone and uncharged: the batch has exactly the failures of its pages. */
async function checkFailures(world: World, { failures }: Accepted): Promise<string[]> {
  const rows = await world.db.sql<{ code: string; failed: number; credits: number }[]>`
    SELECT o.error ->> 'code' AS code, count(*)::int AS failed, sum(o.credits)::int AS credits
    FROM gleaner.results o JOIN gleaner.runs r ON r.no = o.run_no
    WHERE r.id = ${failures.batch} AND NOT o.ok GROUP BY 1`;
  const found = Object.fromEntries(rows.map(({ code, failed }) => [code, failed]));
  const isRight =
    isDeepStrictEqual(found, { ...failures.codes }) && rows.every(({ credits }) => credits === 0);
  return isRight
    ? []
    : [`failures are ${JSON.stringify(rows)}, not ${JSON.stringify(failures.codes)} without charges`];
}

/** Successes of this round that were charged, against what the clients saw. An answer may get lost after its charge. */
async function checkScraped(world: World, since: Date, { scraped }: Accepted): Promise<string[]> {
  const { accountId, answered } = scraped;
  const [row] = await world.db.sql<{ charged: number }[]>`
    SELECT count(*)::int AS charged FROM gleaner.requests
    WHERE account_id = ${accountId} AND charged_in IS NOT NULL AND created_at >= ${since.toISOString()}::timestamptz`;
  const charged = row?.charged ?? -1;
  return charged >= answered ? [] : [`${answered} scrapes were answered, and ${charged} charged`];
}

async function reviveAll(world: World, say: (line: string) => void): Promise<string[]> {
  const notes: string[] = [];
  const { api, scheduler, workers } = world.system;
  for (const process of [api, scheduler, ...workers]) {
    const gone = await Promise.race([process.ended().then(() => true), delay(5).then(() => false)]);
    if (!gone) continue;
    notes.push(`${process.name} ended by itself`);
    say(
      `  ${process.name} had ended by itself: ${process
        .output()
        .split('\n')
        .filter((line) => !line.includes('"level":40'))
        .slice(-12)
        .join('\n')
        .slice(-6000)}`,
    );
    await process.restart();
  }
  return notes;
}

/** The lines of a log that say why a process ended, and its last ones. */
function endsIn(log: string): string {
  const lines = log.split('\n').map((line) => line.slice(0, 1_500));
  const reasons = lines.filter((line) => /"level":60|"msg":"stopping"/.test(line));
  return [...reasons.slice(-6), '…', ...lines.slice(-4)].join('\n');
}

export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { backend, rounds, seed, size, say, recoveryWithinMs = RECOVERY_WITHIN_MS } = options;
  const random = createRandom(seed);
  const site: ChaosSite = await startChaosSite(random);
  const world = await startWorld(backend, {}, true);
  if ('missing' in world.disk) say(world.disk.missing);
  const faults = buildFaults(world, options).filter(({ name }) => name.includes(options.only ?? ''));
  const violations: string[] = [];
  let longestRecoveryMs = 0;
  try {
    const tenants: Tenant[] = [];
    for (const name of ['a', 'b', 'c']) tenants.push(await createTenant(world, name, options.mix));
    const canceller = await createTenant(world, 'd', options.mix);
    for (let round = 0; round < rounds; round += 1) {
      const planned = options.plan?.[round % options.plan.length];
      const fault =
        planned === undefined
          ? faults[Math.floor(random() * faults.length)]
          : faults.find(({ name }) => name.startsWith(planned));
      if (!fault) throw new Error('no fault of that name');
      const momentMs = Math.round(random() * 2_500);
      const before = performance.now();
      const since = new Date();
      site.resetGaps();
      // Otherwise the log of many rounds fills the small disk before the fault does.
      await world.db.sql`CHECKPOINT`;
      const submitting = Promise.all(tenants.map((tenant) => submitRound(tenant, site, round, size)));
      submitting.catch(() => undefined);
      const cancelling = cancelRound(canceller, site, round);
      cancelling.catch(() => undefined);
      await delay(momentMs);
      await fault.strike(world);
      const accepted = await submitting.catch(async (error: unknown) => {
        const dying = (await reviveAll(world, say)).join(', ');
        throw new Error(
          `round ${round + 1}, ${fault.name}: ${dying} ${String(error)}\nThe API wrote:\n${endsIn(world.system.api.output())}`,
          { cause: error },
        );
      });
      const cancelled = await cancelling;
      const found: string[] = await reviveAll(world, say);
      if (!(await awaitQuiet(world))) found.push(`not quiet after ${QUIET_WITHIN_MS / 1000} s`);
      found.push(...(await findViolations(world.db)));
      found.push(...(await checkAccepted(world, { batches: cancelled })));
      for (const one of accepted)
        found.push(
          ...(await checkRows(world, one)),
          ...(await checkSets(world, one)),
          ...(await checkExternalRows(world, one)),
          ...(await checkAccepted(world, one)),
          ...(await checkFailures(world, one)),
          ...(await checkScraped(world, since, one)),
        );
      for (const { name } of tenants) {
        if (site.peak(name) > CONCURRENCY)
          found.push(`the site saw ${site.peak(name)} requests of ${name} at once`);
      }
      const gap = site.longestGapMs();
      if (fault.name.startsWith('kill -9 worker')) {
        longestRecoveryMs = Math.max(longestRecoveryMs, gap);
        if (gap > recoveryWithinMs)
          found.push(`a killed worker's page was fetched again after ${Math.round(gap)} ms`);
      }
      const seconds = ((performance.now() - before) / 1000).toFixed(1);
      say(
        `round ${round + 1}/${rounds}: ${fault.name} after ${momentMs} ms, ${seconds} s, again ${site.servedAgain()} of ${site.served()}, longest gap ${Math.round(gap)} ms${found.length === 0 ? '' : ` VIOLATIONS ${found.join('; ')}`}`,
      );
      violations.push(...found.map((line) => `round ${round + 1} (${fault.name}): ${line}`));
    }
    if (rounds >= 10 && site.servedAgain() > site.served() * MAX_AGAIN) {
      violations.push(`${site.servedAgain()} of ${site.served()} pages were fetched twice`);
    }
    return {
      rounds,
      violations,
      served: site.served(),
      servedAgain: site.servedAgain(),
      longestRecoveryMs: Math.round(longestRecoveryMs),
      peak: Math.max(...tenants.map(({ name }) => site.peak(name))),
    };
  } finally {
    await world.stop();
    await site.close();
  }
}
