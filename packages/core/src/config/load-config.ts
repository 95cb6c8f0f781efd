import { SETTINGS, type Config } from './settings.ts';

/** Every wrong variable at once, one line each. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`wrong configuration:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads and checks the environment. An empty variable counts as absent.
 * @throws ConfigError
 */
export const loadConfig = (env: Environment): Config => {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, { variable, schema }] of Object.entries(SETTINGS)) {
    const parsed = schema.safeParse(env[variable] === '' ? undefined : env[variable]);
    if (parsed.success) values[name] = parsed.data;
    else faults.push(...parsed.error.issues.map((issue) => `${variable}: ${issue.message}`));
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return values as Config;
};
