import type { compareParserVersions as operation } from '@gleaner/contracts';
import { checkParserSchema, type ExtractionServices } from './check-parser-schema.ts';
import { readParser } from './get-parser.ts';
import { compareOnSamples } from './replay-samples.ts';
import { asSchema } from './update-parser.ts';
import { readVersionSchema } from './versions.ts';
import type { Perform } from '../platform/perform.ts';

/**
 * What two versions, or a version and an unsaved schema, read differently on the samples.
 * @throws AppError not_found: no such version; invalid_request: a fault of the schema
 */
export const compareParserVersions: Perform<typeof operation, ExtractionServices> = async (
  ctx,
  { params, body },
) => {
  const { services, accountId, signal } = ctx;
  const { orm } = services.db;
  const parser = await readParser(orm, accountId, params.id);
  const before = body.before ?? parser.version;
  const schemas = {
    before: asSchema(await readVersionSchema(orm, parser.id, before, 'before')),
    after:
      body.after === undefined
        ? await checkParserSchema(services.pool, body.schema, { owner: accountId, signal })
        : asSchema(await readVersionSchema(orm, parser.id, body.after, 'after')),
  };
  const deps = { pool: services.pool, db: orm, accountId, signal };
  const { samples, changes, broken } = await compareOnSamples(deps, parser.id, schemas);
  return { before, after: body.after ?? null, samples, changes, broken: broken.length };
};
