import type { createParser as operation } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { write } from '../platform/context.ts';
import { createId } from '../platform/ids.ts';
import { mustStoreInClear } from '../platform/secrets/earlier-versions.ts';
import { sealConfig } from '../platform/secrets/sealed-config.ts';
import type { ExtractionServices } from './check-parser-schema.ts';
import { checkParserSchema } from './check-parser-schema.ts';
import { toParserRecord } from './parser-record.ts';
import type { Perform } from '../platform/perform.ts';

export const createParser: Perform<typeof operation, ExtractionServices> = async (ctx, { body }) => {
  const schema = await checkParserSchema(ctx.services.pool, body.schema, {
    owner: ctx.accountId,
    signal: ctx.signal,
  });
  const { secretKey } = ctx.services.config;
  const inClear = await mustStoreInClear(ctx.services.db);
  return write(ctx, async (tx) => {
    const id = createId('parser');
    const [row] = await tx
      .insert(tables.parsers)
      .values({
        id,
        accountId: ctx.accountId,
        name: body.name,
        description: body.description ?? null,
        version: 1,
        scrapeConfig: sealConfig(body.scrape_config ?? {}, { secretKey, id, inClear }),
      })
      .returning();
    if (!row) throw new Error('the new parser was not returned');
    await tx.insert(tables.parserVersions).values({ parserId: id, version: 1, schema });
    return toParserRecord(ctx.services, row, schema);
  });
};
