import { z } from 'zod';
import { dataFile } from './private-file.ts';

/** Set by scripts/bundle.ts: the digest of the bundle's sources. Sources that run as they are may change at any time. */
declare const BUNDLED_SOURCES: string | undefined;

/** `code` is that digest; `database` as in database.json. */
const preparedFile = dataFile('prepared.json', z.object({ code: z.string(), database: z.string() }));

/**
 * Whether this code has prepared this database before; `record` is called when a preparation succeeded.
 * @param database names the database; its port is left out when it is the folder's own, since that one changes
 */
export function recordPreparation(dataDir: string, database: string) {
  const code = typeof BUNDLED_SOURCES === 'undefined' ? undefined : BUNDLED_SOURCES;
  const known = preparedFile.read(dataDir);
  return {
    isKnown: code !== undefined && known?.code === code && known.database === database,
    record: (): void => {
      if (code !== undefined) preparedFile.write(dataDir, { code, database });
    },
  };
}
