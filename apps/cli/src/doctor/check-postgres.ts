import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PAGE_PARSER } from '@gleaner/contracts/values';
import type { Config } from '@gleaner/core/config';
import { describeOldServer, inspectDatabase, type DatabaseFacts } from '@gleaner/db';
import { messageOf } from '../fault.ts';
import { nameDatabase } from '../start/database-record.ts';
import { explainDatabaseError } from '../start/explain-database-error.ts';
import { findHolder } from '../start/folder-lock.ts';
import { runtimeFile } from '../start/data-files.ts';
import { fault, ok, warning, type Finding, type Found } from './finding.ts';

/** Leases and schedules are decided by the database's clock; signatures and sessions by this machine's. */
const CLOCK_WARNING_MS = 2_000;
const CLOCK_FAULT_MS = 60_000;

/** Checks the configured database, else the one of the service that runs on the data folder. Starts nothing. */
export async function checkPostgres(config: Config): Promise<Found> {
  const dataDir = resolve(config.dataDir);
  const runtime = findHolder(dataDir)?.role === 'service' ? runtimeFile.read(dataDir) : undefined;
  const url = config.directDatabaseUrl ?? config.databaseUrl ?? runtime?.database_url;
  if (url === undefined) {
    const found = existsSync(join(dataDir, 'postgres.json'))
      ? `the embedded Postgres of ${dataDir} does not run now`
      : `DATABASE_URL is not set and ${dataDir} holds no database yet`;
    return ok('postgres', `${found}; \`gleaner start\` starts it`);
  }
  try {
    return judge(await inspectDatabase(url), url, config);
  } catch (error) {
    const text = messageOf(explainDatabaseError(error, url));
    const [found = '', advice = '  → Check DATABASE_URL and that the server runs.'] = text.split('\n');
    return fault('postgres', found, advice.replace(/^ *→ /, ''));
  }
}

function judge(facts: DatabaseFacts, url: string, config: Config): Finding[] {
  const { version, versionNumber, extensions } = facts;
  const found = `Postgres ${version} at ${nameDatabase(url)}, extensions: ${extensions.join(', ') || 'none'}`;
  const refusal = describeOldServer(versionNumber, version);
  return [
    refusal === undefined ? ok('postgres', found) : fault('postgres', found, `${refusal}: upgrade it.`),
    // Without a URL it is the embedded Postgres, which nothing else uses.
    judgeRights(facts, (config.databaseUrl ?? config.directDatabaseUrl) === undefined),
    judgeConnections(facts, config),
    judgeClock(facts.clockDifferenceMs),
    judgeMigrations(facts),
    judgeSlugs(facts),
  ].flat();
}

function judgeRights({ canCreateRoles, isSuperuser }: DatabaseFacts, isOwn: boolean): Finding {
  if (isSuperuser && !isOwn) {
    return warning(
      'postgres rights',
      'the user is a superuser, so an attacker who takes over the service controls the whole server',
      'Unless only Gleaner uses this server: give DATABASE_URL the owner of its database, with CREATEROLE (docs/operate/deploy.md).',
    );
  }
  if (isSuperuser) return ok('postgres rights', 'the user is a superuser of its own embedded Postgres');
  if (canCreateRoles) return ok('postgres rights', 'the user has CREATEROLE');
  return warning(
    'postgres rights',
    'the user lacks CREATEROLE, so databases can have no read-only logins',
    'If BI tools need logins, have an administrator give the user of DATABASE_URL the attribute CREATEROLE.',
  );
}

/** The most that `npm start` opens with these settings; docs/operate/deploy.md has the same figures. */
function connectionsNeeded(config: Config): number {
  const { workers, apiConnections, workerConnections, schedulerConnections, queueConnections } = config;
  const ofQueues = config.redisUrl === undefined ? (workers + 2) * (queueConnections + 2) : 0;
  // One more, by which schedulers choose their leader.
  return apiConnections + workers * workerConnections + schedulerConnections + 1 + ofQueues;
}

function judgeConnections(facts: DatabaseFacts, config: Config): Finding {
  const { maxConnections, reservedConnections, isSuperuser } = facts;
  const available = maxConnections - (isSuperuser ? 0 : reservedConnections);
  const needed = connectionsNeeded(config);
  const found = `${available} for this user, ${needed} needed at most by one API, one scheduler and ${config.workers} workers`;
  if (needed < available) return ok('postgres connections', found);
  const advice =
    'Raise max_connections, lower the GLEANER_…_CONNECTIONS settings, or use a pooler (docs/operate/deploy.md).';
  return fault('postgres connections', found, advice);
}

function judgeClock(differenceMs: number): Finding {
  const seconds = (Math.abs(differenceMs) / 1000).toFixed(1);
  const found = `the database's clock is ${seconds} s ${differenceMs < 0 ? 'behind' : 'ahead of'} this machine's`;
  const advice = 'Synchronize the clocks of both machines (NTP: chrony or systemd-timesyncd).';
  if (Math.abs(differenceMs) > CLOCK_FAULT_MS) return fault('clock', found, advice);
  if (Math.abs(differenceMs) > CLOCK_WARNING_MS) return warning('clock', found, advice);
  return ok('clock', found);
}

function judgeMigrations(facts: DatabaseFacts): Finding {
  const { pendingMigrations, hasCurrentFunctions, hasNewerMigrations } = facts;
  const advice = 'Run: gleaner migrate (`gleaner start` does this too).';
  if (pendingMigrations === null) return fault('migrations', 'the database has no tables of Gleaner', advice);
  if (hasNewerMigrations) {
    return warning(
      'migrations',
      'the database was migrated by a newer version of Gleaner',
      'Update this installation.',
    );
  }
  if (pendingMigrations.length > 0)
    return fault('migrations', `pending: ${pendingMigrations.join(', ')}`, advice);
  if (!hasCurrentFunctions) return fault('migrations', "the database lacks this version's functions", advice);
  return ok('migrations', 'none pending');
}

/** A parser of an account that had the slug of the built-in one before there was one has precedence in that account. */
function judgeSlugs({ shadowingAccounts }: DatabaseFacts): Finding[] {
  if (shadowingAccounts.length === 0) return [];
  const found = `own parsers with the slug ${PAGE_PARSER} stand before the built-in one in: ${shadowingAccounts.join(', ')}`;
  const advice = 'Tell these accounts; another slug (PUT /v1/parsers/{id}) gives them the built-in parser.';
  return [warning('parser slugs', found, advice)];
}
