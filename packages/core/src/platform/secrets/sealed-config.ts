import type { ScrapeConfig } from '@gleaner/contracts';
import { seal, unseal, type SealContext } from './seal.ts';

/** What a customer sends along to a target, or types there: it can hold passwords and sessions. */
type PrivateConfig = Pick<ScrapeConfig, 'headers' | 'cookies' | 'actions'>;

/**
 * A scrape_config as it is stored. `sealed` holds the encrypted private parts, in base64; it is null after the
 * work has ended, because a trigger of the table removes them then.
 */
export type StoredConfig<T extends ScrapeConfig = ScrapeConfig> = Omit<T, keyof PrivateConfig> & {
  sealed?: string | null;
};

export interface ConfigOwner {
  secretKey?: string | undefined;
  /** Id of the run, request, parser or cron. */
  id: string;
  /** See `mustStoreInClear`. */
  inClear?: boolean;
}

function toPlace({ secretKey, id }: ConfigOwner): SealContext {
  return { secretKey, place: `config:${id}` };
}

/**
 * @param beside sealed together with the private parts
 * @throws AppError temporarily_unavailable when there is something private and no key
 */
export function sealConfig<T extends ScrapeConfig>(
  config: T,
  place: ConfigOwner,
  beside: object = {},
): StoredConfig<T> {
  const { headers, cookies, actions, ...rest } = config;
  const secrets = {
    ...(headers && { headers }),
    ...(cookies && { cookies }),
    ...(actions && { actions }),
    ...beside,
  };
  if (Object.keys(secrets).length === 0) return rest;
  const stored = { ...rest, sealed: seal(JSON.stringify(secrets), toPlace(place)).toString('base64') };
  return place.inClear === true ? config : stored;
}

/**
 * Also opens what earlier versions stored in clear.
 * @throws AppError temporarily_unavailable when the key is absent or another key sealed it
 */
export function openConfig<T extends ScrapeConfig>(stored: StoredConfig<T>, place: ConfigOwner): T {
  const { sealed, ...config } = stored;
  const secrets =
    sealed === undefined || sealed === null
      ? {}
      : (JSON.parse(unseal(Buffer.from(sealed, 'base64'), toPlace(place))) as object);
  // The parts were taken from one.
  return { ...config, ...secrets } as T;
}
