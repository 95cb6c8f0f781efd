import { toStorableJson, type ScrapeConfig, type WorkflowDefinition } from '@gleaner/contracts';
import type { Database } from '@gleaner/db';
import type { WithSecretKey } from '../parsers/read-parsers.ts';
import { mustStoreInClear } from '../platform/secrets/seal.ts';
import { sealConfig } from '../platform/secrets/sealed-config.ts';
import { sealDefinition } from './workflow-record.ts';

/** Rows of one round. */
const AT_ONCE = 200;

const PRIVATE = '? (exists(@.headers) || exists(@.cookies) || exists(@.actions))';

/** The tables with a scrape_config, and how to find those in clear. */
const PLACES = [
  { table: 'parsers', column: 'scrape_config', isClear: `$ ${PRIVATE}` },
  { table: 'crons', column: 'scrape_config', isClear: `$ ${PRIVATE}` },
  { table: 'workflows', column: 'definition', isClear: `$.stages[*].scrape_config ${PRIVATE}` },
] as const;

/**
 * Seals what earlier versions stored in clear: headers, cookies and actions of parsers, crons and workflows. Waits while
 * a process of another version is seen, because an earlier one can't open what is sealed.
 * @returns how many rows were sealed
 */
export async function sealStored(services: WithSecretKey & { db: Database }): Promise<number> {
  const { sql } = services.db;
  if (await mustStoreInClear(services.db)) return 0;
  let sealed = 0;
  for (const { table, column, isClear } of PLACES) {
    for (;;) {
      const rows = await sql<{ id: string; value: ScrapeConfig | WorkflowDefinition }[]>`
        SELECT id, ${sql(column)} AS value FROM gleaner.${sql(table)}
        WHERE ${sql(column)} @? ${isClear}::text::jsonpath ORDER BY id LIMIT ${AT_ONCE}`;
      for (const { id, value } of rows) {
        const sealedValue =
          'stages' in value
            ? sealDefinition(services, { id }, value)
            : sealConfig(value, { secretKey: services.config.secretKey, id });
        const after = toStorableJson(sealedValue);
        // A row that was changed meanwhile is sealed already.
        await sql`
          UPDATE gleaner.${sql(table)} SET ${sql(column)} = ${after}::text::jsonb
          WHERE id = ${id} AND ${sql(column)} = ${toStorableJson(value)}::text::jsonb`;
      }
      sealed += rows.length;
      if (rows.length < AT_ONCE) break;
    }
  }
  return sealed;
}
