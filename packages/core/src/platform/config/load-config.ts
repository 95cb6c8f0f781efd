import { mostSimilarName, type ProxyTier } from '@gleaner/contracts';
import type { SitesConfig } from '@gleaner/extractors/sites';
import { readSitesConfig, SITE_SETTINGS } from '@gleaner/extractors/sites/config';
import { SETTINGS, type Settings } from './settings.ts';

/** Variables with our prefix for others: the command line and clients, tests, Compose, and Kubernetes with a service `gleaner`. */
const FOREIGN =
  /^GLEANER_(?:URL$|API_KEY$|TEST_\w+$|SCREENSHOTS$|PUBLISH$|COMMIT$|(?:\w+_)?(?:SERVICE_(?:HOST$|PORT)|PORT_\d))/;

const PREFIX = 'GLEANER_';

/** One line for every unknown variable with our prefix, because a mistyped setting would have no effect. */
function findUnknownSettings(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): string[] {
  const written = new Map(known.map((other) => [other.replace(/^(?!GLEANER_)/, 'GLEANER_'), other]));
  const nearest = (name: string): string | undefined => {
    const best = mostSimilarName(name, [...written.keys()]);
    // A name of which more than half differs is another one.
    const most = (name.length - PREFIX.length) / 2;
    return best !== undefined && best.away <= most ? written.get(best.candidate) : undefined;
  };
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && env[name] !== undefined && env[name] !== '')
    .filter((name) => !known.includes(name) && !FOREIGN.test(name) && !/^(?:tcp|udp):/.test(env[name] ?? ''))
    .toSorted()
    .map((name) => [name, nearest(name)] as const)
    .map(
      ([name, near]) => `${name}: is not a setting${near === undefined ? '' : `; the nearest is ${near}`}`,
    );
}

/** The checked configuration from the environment. */
export type Config = Settings & { sites: SitesConfig };

/** All invalid variables, one line each. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`wrong configuration:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

const KNOWN: readonly string[] = [
  ...Object.values(SETTINGS).map(({ variable }) => variable),
  ...Object.keys(SITE_SETTINGS),
];

/** Settings that mean nothing without others. */
const BESIDE: readonly (readonly [keyof Settings, readonly (keyof Settings)[]])[] = [
  ['directDatabaseUrl', ['databaseUrl']],
  ['oauthIssuer', ['oauthAudience']],
  ['oauthAudience', ['oauthIssuer']],
  ['s3Url', ['s3AccessKey', 's3SecretKey']],
];

function faultsOfSite(env: Environment): string[] {
  try {
    readSitesConfig(env);
    return [];
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return [error.message.replace(' ', ': ')];
  }
}

/**
 * Reads and checks the environment. An empty variable counts as absent.
 * @throws ConfigError
 */
export function loadConfig(env: Environment): Config {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, { variable, schema }] of Object.entries(SETTINGS)) {
    const parsed = schema.safeParse(env[variable] === '' ? undefined : env[variable]);
    if (parsed.success) values[name] = parsed.data;
    else faults.push(...parsed.error.issues.map((issue) => `${variable}: ${issue.message}`));
  }
  for (const [name, others] of BESIDE) {
    if (values[name] === undefined || others.every((other) => values[other] !== undefined)) continue;
    const needed = others.map((other) => SETTINGS[other].variable).join(' and ');
    faults.push(`${SETTINGS[name].variable}: needs ${needed} beside it`);
  }
  const siteFaults = Object.keys(SITE_SETTINGS).flatMap((name) => faultsOfSite({ [name]: env[name] }));
  faults.push(...siteFaults, ...findUnknownSettings(env, KNOWN));
  if (siteFaults.length === 0) values.sites = readSitesConfig(env);
  if (faults.length > 0) throw new ConfigError(faults);
  return values as Config;
}

/** Every variable with its row in the table of docs/operate/configuration.md. */
export function listSettings(): { variable: string; shown: string; describe: string }[] {
  return [
    ...Object.values(SETTINGS).map(({ variable, shown, describe }) => ({ variable, shown, describe })),
    ...Object.entries(SITE_SETTINGS).map(([variable, describe]) => ({
      variable,
      shown: variable.endsWith('_ORIGIN') ? 'the public site' : 'built in',
      describe,
    })),
  ];
}

export type ProxyConfig = Pick<
  Config,
  'proxyDefault' | 'proxyHighquality' | 'proxyPremium' | 'proxyHardcore'
>;

/** The URLs of each tier's proxies. A new tier does not compile until it has its setting. */
export function proxiesByTier(config: ProxyConfig): Readonly<Record<ProxyTier, readonly string[]>> {
  return {
    default: config.proxyDefault,
    highquality: config.proxyHighquality,
    premium: config.proxyPremium,
    hardcore: config.proxyHardcore,
  };
}
