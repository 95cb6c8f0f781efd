import { ConfigError, loadConfig, type Config } from '@gleaner/core/config';
import { checkChromium } from './check-chromium.ts';
import { checkDisk, checkMemory, checkNode } from './check-machine.ts';
import { checkEgress, checkProxies } from './check-network.ts';
import { checkPostgres } from './check-postgres.ts';
import { checkRedis } from './check-redis.ts';
import { bounded, fault, ok, type Finding } from './finding.ts';

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

/**
 * Looks at everything that this installation needs. Changes nothing, and works with and without a running service.
 * @param options `online`: also resolves and connects to a public name
 */
export async function runDoctor(env: NodeJS.ProcessEnv, options: { online: boolean }): Promise<Finding[]> {
  const { config, findings, faulty } = readSettings(env);
  const nothing = Promise.resolve<Finding[]>([]);
  const all = await Promise.all([
    bounded('memory', { withinMs: QUICK_MS, advice: 'Check the limits of the container.' }, () =>
      checkMemory(config),
    ),
    bounded('disk', { withinMs: QUICK_MS, advice: 'Check GLEANER_DATA_DIR and its mount.' }, () =>
      checkDisk(config.dataDir),
    ),
    faulty.has('DATABASE_URL') || faulty.has('GLEANER_DIRECT_DATABASE_URL')
      ? nothing
      : bounded('postgres', { withinMs: QUICK_MS, advice: 'Check DATABASE_URL and the server.' }, () =>
          checkPostgres(config),
        ),
    faulty.has('REDIS_URL')
      ? nothing
      : bounded('redis', { withinMs: QUICK_MS, advice: 'Check REDIS_URL and the server.' }, () =>
          checkRedis(config.redisUrl),
        ),
    bounded(
      'chromium',
      {
        withinMs: CHROMIUM_MS,
        advice:
          'Install Chromium and set CHROMIUM_PATH, or serve plain pages only: GLEANER_WORKER_QUEUES=http.',
      },
      () => checkChromium(config),
    ),
    options.online
      ? bounded(
          'egress',
          { withinMs: 2 * QUICK_MS, advice: 'Check the resolvers and the firewall of this machine.' },
          checkEgress,
        )
      : nothing,
  ]);
  return [checkNode(), findings, ...all, checkProxies(config)].flat();
}
