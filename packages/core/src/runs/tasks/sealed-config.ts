import type { ScrapeConfig } from '@gleaner/contracts';
import { seal, unseal, type SealContext } from '../../platform/secrets/seal.ts';
import type { TaskSpec } from './task-spec.ts';

/** What a customer sends along to a target: it can hold passwords and sessions. */
type Private = Pick<ScrapeConfig, 'headers' | 'cookies'>;

/**
 * A scrape_config as it is stored. `sealed` holds the encrypted headers and cookies, in base64; it is null after the
 * work has ended, because a trigger of the table removes them then.
 */
export type StoredConfig = Omit<ScrapeConfig, keyof Private> & { sealed?: string | null };

export interface ConfigPlace {
  secretKey?: string | undefined;
  /** Id of the run or request. */
  id: string;
}

function toPlace({ secretKey, id }: ConfigPlace): SealContext {
  return { secretKey, place: `config:${id}` };
}

/** @throws AppError temporarily_unavailable when there are headers or cookies and no key */
export function sealConfig(config: ScrapeConfig, place: ConfigPlace): StoredConfig {
  const { headers, cookies, ...rest } = config;
  const secrets = { ...(headers && { headers }), ...(cookies && { cookies }) } satisfies Private;
  if (Object.keys(secrets).length === 0) return rest;
  return { ...rest, sealed: seal(JSON.stringify(secrets), toPlace(place)).toString('base64') };
}

/** @throws AppError temporarily_unavailable when the key is absent or is not the one that sealed it */
export function openConfig({ sealed, ...config }: StoredConfig, place: ConfigPlace): ScrapeConfig {
  if (sealed === undefined || sealed === null) return config;
  const secrets = JSON.parse(unseal(Buffer.from(sealed, 'base64'), toPlace(place))) as Private;
  return { ...config, ...secrets };
}

/** A task as it is stored. */
export type StoredSpec = Omit<TaskSpec, 'config'> & { config: StoredConfig };

/** @throws AppError as `sealConfig` does */
export function sealSpec(spec: TaskSpec, place: ConfigPlace): StoredSpec {
  return { ...spec, config: sealConfig(spec.config, place) };
}

/** @throws AppError as `openConfig` does */
export function openSpec(spec: StoredSpec, place: ConfigPlace): TaskSpec {
  return { ...spec, config: openConfig(spec.config, place) };
}
