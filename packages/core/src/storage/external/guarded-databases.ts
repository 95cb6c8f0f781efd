import { guardedAddress, type EgressGuard } from '@gleaner/fetching/egress';
import type { Config } from '../../platform/config/load-config.ts';
import { createExternalDatabases, type ExternalDatabases } from './external-databases.ts';

/** `createExternalDatabases` that connects to addresses of which the guard approves. */
export function createGuardedDatabases(
  { secretKey }: Pick<Config, 'secretKey'>,
  guard: EgressGuard,
): ExternalDatabases {
  return createExternalDatabases({
    secretKey,
    resolveEgress: async (host, port) => ({ ...(await guardedAddress(guard, host, port)), port }),
  });
}
