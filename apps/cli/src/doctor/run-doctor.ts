import { ConfigError, loadConfig, proxiesByTier, type Config, type ProxyConfig } from '@gleaner/core/config';
import { checkPostgres } from './check-postgres.ts';
import { bounded, fault, ok, warning, type Finding, type Found } from './finding.ts';
import { probeChromium } from '@gleaner/fetching';
import { statfsSync } from 'node:fs';
import { resolve } from 'node:path';
import { availableParallelism } from 'node:os';
import { nearestFolder, openContents } from '@gleaner/core';
import { readMemoryLimit } from '@gleaner/fetching/memory-limit';
import { lookup } from 'node:dns/promises';
import { messageOf } from '../fault.ts';
import { reachPort, reasonOf } from '../reach-port.ts';
import { inspectRedis } from '@gleaner/queue';

/** Checks that Chromium starts and loads a page, and whether its sandbox holds. */
async function checkChromium(config: Config): Promise<Found> {
  if (!config.workerQueues.includes('browser'))
    return ok('chromium', 'not needed: GLEANER_WORKER_QUEUES has no browser');
  const { path, source, version, noSandboxReason } = await probeChromium(config.chromiumPath);
  return [
    ok('chromium', `Chromium ${version} (${source}: ${path}) loads a page`),
    noSandboxReason === undefined
      ? ok('chromium sandbox', 'a page loads with it')
      : warning(
          'chromium sandbox',
          `Chromium runs without its sandbox: ${noSandboxReason}`,
          'Run workers as a user other than root, and allow user namespaces (docs/operate/fetching.md).',
        ),
  ];
}

const NODE_MAJOR = 24;
const GB = 1e9;

function checkNode(): Found {
  const { version, platform, arch } = process;
  const found = `Node ${version} on ${platform} ${arch}`;
  const major = Number(/^v(\d+)/.exec(version)?.[1]);
  if (major < NODE_MAJOR) return fault('node', found, `Install Node ${NODE_MAJOR}.`);
  if (major > NODE_MAJOR)
    return warning('node', found, `Gleaner is tested with Node ${NODE_MAJOR}; prefer that version.`);
  return ok('node', found);
}

/** The limit of the container or the machine, against what the configured processes need. */
function checkMemory({ workerQueues, workers }: Config): Found {
  const limitBytes = readMemoryLimit();
  const found = `${(limitBytes / GB).toFixed(1)} GB for this process, ${availableParallelism()} cores`;
  if (limitBytes < 0.5 * GB) return fault('memory', found, 'Give it at least 1 GB.');
  const wanted = 1 + (workerQueues.includes('browser') ? Math.max(1, workers) : 0);
  if (limitBytes < wanted * GB) {
    const advice = `Give it at least ${wanted} GB, run fewer workers (GLEANER_WORKERS), or leave browsers out (GLEANER_WORKER_QUEUES=http).`;
    return warning('memory', found, advice);
  }
  return ok('memory', found);
}

/** Free space where the data folder is, or will be. */
function checkDisk({ dataDir }: Config): Found {
  const folder = resolve(dataDir);
  const { bavail, blocks, bsize } = statfsSync(nearestFolder(folder));
  const freeBytes = bavail * bsize;
  const share = bavail / Math.max(1, blocks);
  const found = `${(freeBytes / GB).toFixed(1)} GB (${Math.round(share * 100)} %) free for ${folder}`;
  const advice = 'Free space, shorten GLEANER_KEEP_…_DAYS, or move GLEANER_DATA_DIR to a larger disk.';
  if (freeBytes < GB) return fault('disk', found, advice);
  if (freeBytes < 5 * GB || share < 0.05) return warning('disk', found, advice);
  return ok('disk', found);
}

/** Writes and removes one object in the bucket of kept pages. */
async function checkBucket(config: Config): Promise<Found> {
  if (config.s3Url === undefined) return ok('kept pages', 'GLEANER_S3_URL is not set; Postgres holds them');
  const contents = openContents(config);
  await contents.write('gleaner', 'doctor', Buffer.from('doctor'));
  await contents.remove('gleaner', ['doctor']);
  return ok('kept pages', `the bucket at ${new URL(config.s3Url).host} takes and removes objects`);
}

/** IANA's documentation site: stable, public, and meant for such uses. */
const PUBLIC_NAME = 'example.com';
const PORT = 443;
const CONNECT_MS = 4_000;

/** Counts proxies. Faulty URLs are faults of the settings, and are not here. */
function checkProxies(config: ProxyConfig): Found {
  const found = Object.entries(proxiesByTier(config))
    .map(([tier, urls]) => `${tier} ${urls.length}`)
    .join(', ');
  return ok('proxies', `configured: ${found}`);
}

/** Resolves one public name and opens one TCP connection to it. */
async function checkEgress(): Promise<Found> {
  let address: string;
  try {
    ({ address } = await lookup(PUBLIC_NAME));
  } catch (error) {
    const found = `${PUBLIC_NAME} does not resolve (${reasonOf(error)})`;
    return fault('egress', found, 'Check the resolvers of this machine (/etc/resolv.conf).');
  }
  try {
    await reachPort({ host: address, port: PORT }, CONNECT_MS);
  } catch (error) {
    const found = `${PUBLIC_NAME} (${address}) refuses port ${PORT} (${reasonOf(error)})`;
    const advice = 'Allow outgoing TCP in the firewall; pages can only be fetched through proxies.';
    return fault('egress', found, advice);
  }
  return ok('egress', `${PUBLIC_NAME} resolves and accepts connections`);
}

/** BullMQ needs commands of this version. */
const OLDEST_MAJOR = 6;

/** Checks that Redis answers and never drops keys: an evicted key is a lost job. */
async function checkRedis({ redisUrl }: Config): Promise<Found> {
  if (redisUrl === undefined) return ok('redis', 'REDIS_URL is not set; Postgres holds the queues');
  const { host } = new URL(redisUrl);
  const facts = await inspectRedis(redisUrl).catch(messageOf);
  if (typeof facts === 'string')
    return fault(
      'redis',
      `the Redis at ${host} does not answer (${facts})`,
      'Start it, correct REDIS_URL, or unset it: without Redis, Postgres holds the queues.',
    );
  const { version, evictionPolicy, usedBytes, maxBytes } = facts;
  const found = `Redis ${version} at ${host}`;
  const isOld = Number(version.split('.')[0]) < OLDEST_MAJOR;
  const findings = [
    isOld ? fault('redis', found, `Upgrade Redis to ${OLDEST_MAJOR}.2 or later.`) : ok('redis', found),
    evictionPolicy === 'noeviction'
      ? ok('redis eviction', 'maxmemory-policy is noeviction')
      : fault(
          'redis eviction',
          `maxmemory-policy is ${evictionPolicy}: a full Redis drops jobs`,
          'Set `maxmemory-policy noeviction` in redis.conf, and now: redis-cli CONFIG SET maxmemory-policy noeviction',
        ),
  ];
  if (maxBytes > 0 && usedBytes > 0.8 * maxBytes)
    findings.push(
      warning(
        'redis memory',
        `${(usedBytes / GB).toFixed(2)} of ${(maxBytes / GB).toFixed(2)} GB are in use`,
        'Raise maxmemory: a full Redis refuses new jobs.',
      ),
    );
  return findings;
}

const QUICK_MS = 5_000;
/** The first start unpacks the packaged Chromium, and a failed one with sandbox is followed by one without. */
const CHROMIUM_MS = 30_000;

interface Settings {
  config: Config;
  findings: Finding[];
  /** Names of variables with faults; their checks would only repeat them. */
  faulty: ReadonlySet<string>;
}

/** Reads the settings. Faulty ones count as absent, so that everything else is still checked. */
function readSettings(env: NodeJS.ProcessEnv): Settings {
  try {
    const config = loadConfig(env);
    return { config, findings: [ok('settings', 'all valid')], faulty: new Set() };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const advice =
      'Correct or unset this environment variable; docs/operate/configuration.md lists all of them.';
    const findings = error.faults.map((found) => fault('settings', found, advice));
    const faulty = new Set(error.faults.map((found) => found.split(':')[0] ?? ''));
    // The direct URL is a fault without the other one.
    if (faulty.has('DATABASE_URL')) faulty.add('GLEANER_DIRECT_DATABASE_URL');
    const rest = Object.entries(env).filter(([name]) => !faulty.has(name));
    return { config: loadConfig(Object.fromEntries(rest)), findings, faulty };
  }
}

/** A check with the settings that it reads. */
interface PlannedCheck {
  name: string;
  advice: string;
  /** Faults of these variables are findings already. */
  needs?: readonly string[];
  withinMs?: number;
  check: (config: Config) => Promise<Found> | Found;
}

const CHECKS: readonly PlannedCheck[] = [
  { name: 'memory', advice: 'Check the limits of the container.', check: checkMemory },
  { name: 'disk', advice: 'Check GLEANER_DATA_DIR and its mount.', check: checkDisk },
  {
    name: 'postgres',
    advice: 'Check DATABASE_URL and the server.',
    needs: ['DATABASE_URL', 'GLEANER_DIRECT_DATABASE_URL'],
    check: checkPostgres,
  },
  { name: 'redis', advice: 'Check REDIS_URL and the server.', needs: ['REDIS_URL'], check: checkRedis },
  {
    name: 'kept pages',
    advice: 'Check GLEANER_S3_URL with its bucket, the keys, and what the user may do.',
    needs: ['GLEANER_S3_URL'],
    check: checkBucket,
  },
  {
    name: 'chromium',
    advice: 'Install Chromium and set CHROMIUM_PATH, or serve plain pages only: GLEANER_WORKER_QUEUES=http.',
    withinMs: CHROMIUM_MS,
    check: checkChromium,
  },
];

const ONLINE_CHECK: PlannedCheck = {
  name: 'egress',
  advice: 'Check the resolvers and the firewall of this machine.',
  withinMs: 2 * QUICK_MS,
  check: checkEgress,
};

/**
 * Looks at everything that this installation needs. Changes nothing but the bucket, where one object comes and goes.
 * @param options `online`: also resolves and connects to a public name
 */
export async function runDoctor(env: NodeJS.ProcessEnv, options: { online: boolean }): Promise<Finding[]> {
  const { config, findings, faulty } = readSettings(env);
  const checks = (options.online ? [...CHECKS, ONLINE_CHECK] : CHECKS).filter(
    ({ needs = [] }) => !needs.some((name) => faulty.has(name)),
  );
  const found = checks.map(({ name, advice, withinMs = QUICK_MS, check }) =>
    bounded(name, { withinMs, advice }, () => check(config)),
  );
  return [checkNode(), findings, ...(await Promise.all(found)), checkProxies(config)].flat();
}
