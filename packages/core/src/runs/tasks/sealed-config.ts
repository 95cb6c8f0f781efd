import type { ScrapeConfig } from '@gleaner/contracts';
import type { RunConfig } from './run-config.ts';
import { seal, unseal, type SealContext } from '../../platform/secrets/seal.ts';
import type { TaskSpec } from './task-spec.ts';

/** What a customer sends along to a target, or types there: it can hold passwords and sessions. */
type PrivateConfig = Pick<ScrapeConfig, 'headers' | 'cookies' | 'actions'>;
type Private = PrivateConfig & Pick<TaskSpec, 'request'>;

/**
 * A scrape_config as it is stored. `sealed` holds the encrypted private parts, in base64; it is null after the
 * work has ended, because a trigger of the table removes them then.
 */
export type StoredConfig = Omit<RunConfig, keyof PrivateConfig> & { sealed?: string | null };

export interface ConfigPlace {
  secretKey?: string | undefined;
  /** Id of the run or request. */
  id: string;
}

function toPlace({ secretKey, id }: ConfigPlace): SealContext {
  return { secretKey, place: `config:${id}` };
}

/** @throws AppError temporarily_unavailable when there is something private and no key */
export function sealConfig(config: RunConfig, place: ConfigPlace): StoredConfig {
  return sealPrivate(config, undefined, place);
}

function sealPrivate(config: RunConfig, request: TaskSpec['request'], place: ConfigPlace): StoredConfig {
  const { headers, cookies, actions, ...rest } = config;
  const secrets = {
    ...(headers && { headers }),
    ...(cookies && { cookies }),
    ...(actions && { actions }),
    ...(request && { request }),
  } satisfies Private;
  if (Object.keys(secrets).length === 0) return rest;
  return { ...rest, sealed: seal(JSON.stringify(secrets), toPlace(place)).toString('base64') };
}

/** @throws AppError temporarily_unavailable when the key is absent or another key sealed it */
export function openConfig(stored: StoredConfig, place: ConfigPlace): RunConfig {
  const { request: _, ...config } = openPrivate(stored, place);
  return config;
}

function openPrivate(
  { sealed, ...config }: StoredConfig,
  place: ConfigPlace,
): RunConfig & Pick<TaskSpec, 'request'> {
  if (sealed === undefined || sealed === null) return config;
  const secrets = JSON.parse(unseal(Buffer.from(sealed, 'base64'), toPlace(place))) as Private;
  return { ...config, ...secrets };
}

/** A task as it is stored. */
export type StoredSpec = Omit<TaskSpec, 'config' | 'request'> & { config: StoredConfig };

/** @throws AppError as `sealConfig` does */
export function sealSpec(spec: TaskSpec, place: ConfigPlace): StoredSpec {
  const { request, config, ...rest } = spec;
  return { ...rest, config: sealPrivate(config, request, place) };
}

/** @throws AppError as `openConfig` does */
export function openSpec(spec: StoredSpec, place: ConfigPlace): TaskSpec {
  const { request, ...config } = openPrivate(spec.config, place);
  return { ...spec, config, ...(request === undefined ? {} : { request }) };
}
