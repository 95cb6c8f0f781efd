import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { readJson, writePrivateJson } from './private-file.ts';

/** `code` is the digest of the bundle's sources (scripts/bundle-sources.mjs); `database` as in database.json. */
const recordSchema = z.object({ code: z.string(), database: z.string() });

/** Whether this code has prepared this database before. */
export interface PreparationRecord {
  isKnown: boolean;
  /** Call when the preparation succeeded. */
  record: () => void;
}

/** Undefined for sources, which run without a bundle and may change at any time. */
function readCode(): string | undefined {
  const file = join(dirname(import.meta.filename), 'sources.sha256');
  return import.meta.filename.endsWith('.js') && existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** @param database names the database; its port is left out when it is the folder's own, since that one changes */
export function recordPreparation(dataDir: string, database: string): PreparationRecord {
  const path = join(dataDir, 'prepared.json');
  const code = readCode();
  const known = readJson(path, recordSchema);
  return {
    isKnown: code !== undefined && known?.code === code && known.database === database,
    record: () => {
      if (code !== undefined) writePrivateJson(path, { code, database });
    },
  };
}
