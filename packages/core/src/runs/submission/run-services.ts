import type { Services } from '../../platform/context.ts';
import type { ExternalDatabases } from '../../storage/databases/external-databases.ts';
import type { ParserCache } from '../../parsers/parser-cache.ts';

/** What creating runs needs beyond the rest. */
export interface RunServices extends Services {
  external: ExternalDatabases;
  parsers: ParserCache;
}
