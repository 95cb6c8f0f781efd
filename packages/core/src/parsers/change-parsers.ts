import { tables, type Transaction } from '@gleaner/db';
import { write, type Perform } from '../platform/context.ts';
import { createId } from '../platform/ids.ts';
import { mustStoreInClear } from '../platform/secrets/seal.ts';
import { sealConfig } from '../platform/secrets/sealed-config.ts';
import { invalid } from '../platform/invalid-request.ts';
import { slugColumn } from '../platform/slugs/slug-column.ts';
import { checkParserSchema, type ExtractionServices } from './check-parser-schema.ts';
import { refuseBuiltIn } from './page-parser.ts';
import { toParserRecord, type SavedParser, readParser } from './read-parsers.ts';
import { isDeepStrictEqual } from 'node:util';
import { AppError, PAGE_PARSER, type ParserSchema } from '@gleaner/contracts';
import { eq, sql } from 'drizzle-orm';
import { replaySamples } from './replay-samples.ts';
import { readOwn, refuseUsed } from '../platform/references/used.ts';
import { refuseReserved } from './reserved-fields.ts';

const { parserVersions, parsers } = tables;

/** @throws AppError invalid_request for the built-in parser's name or a word of a path */
function parserSlug(body: Parameters<typeof slugColumn>[0]): ReturnType<typeof slugColumn> {
  if (body.slug === PAGE_PARSER)
    throw invalid('slug', `${PAGE_PARSER} is the parser that every account has`, 'Choose another slug.');
  return slugColumn(body);
}

export const createParser: Perform<'createParser', ExtractionServices> = async (ctx, { body }) => {
  const schema = await checkParserSchema(ctx, body.schema);
  refuseReserved(schema);
  const { secretKey } = ctx.services.config;
  const inClear = await mustStoreInClear(ctx.services.db);
  return write(ctx, async (tx) => {
    const id = createId('parser');
    const [row] = await tx
      .insert(parsers)
      .values({
        id,
        accountId: ctx.accountId,
        ...parserSlug(body),
        name: body.name,
        description: body.description ?? null,
        version: 1,
        scrapeConfig: sealConfig(body.scrape_config ?? {}, { secretKey, id, inClear }),
      })
      .returning();
    if (!row) throw new Error('the new parser was not returned');
    await tx.insert(parserVersions).values({ parserId: id, version: 1, schema, source: body.source });
    return toParserRecord(ctx.services, row, schema);
  });
};

/** Adds a version and makes it the current one. The caller holds the lock on the parser's row, so that concurrent changes create separate versions. */
export async function addParserVersion(
  tx: Transaction,
  input: { parserId: string; schema: ParserSchema; restoredFrom?: number; source?: string | undefined },
): Promise<number> {
  const [latest] = await tx
    .select({ version: sql<number>`max(${parserVersions.version})` })
    .from(parserVersions)
    .where(eq(parserVersions.parserId, input.parserId));
  const version = (latest?.version ?? 0) + 1;
  await tx.insert(parserVersions).values({
    parserId: input.parserId,
    version,
    schema: input.schema,
    restoredFrom: input.restoredFrom,
    source: input.source,
  });
  return version;
}

/** @throws AppError temporarily_unavailable: another call saved a version since the samples were tried */
export function requireSameVersion(tried: SavedParser, current: SavedParser): void {
  if (tried.version === current.version) return;
  throw new AppError('temporarily_unavailable', {
    detail: 'another call saved a version of the parser at the same time',
    retryAfterSeconds: 1,
  });
}

export const updateParser: Perform<'updateParser', ExtractionServices> = async (ctx, { params, body }) => {
  const schema = body.schema && (await checkParserSchema(ctx, body.schema));
  const tried = await readParser(ctx.services.db.orm, ctx.accountId, params.id);
  if (schema !== undefined) refuseReserved(schema, tried.schema);
  const changes =
    schema === undefined
      ? []
      : await replaySamples(ctx, tried, { before: tried.schema, after: schema }, body.force === true);
  const { secretKey } = ctx.services.config;
  const inClear = await mustStoreInClear(ctx.services.db);
  return write(ctx, async (tx) => {
    await readOwn(tx, parsers, ctx.accountId, params.id, { lock: 'update' });
    const current = await readParser(tx, ctx.accountId, params.id);
    requireSameVersion(tried, current);
    const isNewSchema = schema !== undefined && !isDeepStrictEqual(schema, current.schema);
    const version = isNewSchema
      ? await addParserVersion(tx, { parserId: params.id, schema, source: body.source })
      : current.version;
    const [row] = await tx
      .update(parsers)
      .set({
        version,
        updatedAt: sql`now()`,
        ...parserSlug(body),
        name: body.name,
        description: body.description,
        scrapeConfig:
          body.scrape_config &&
          sealConfig(
            // A parser from before pages were composed stays as it is until a change names it.
            { ...(current.composed ? {} : { composed: false }), ...body.scrape_config },
            { secretKey, id: params.id, inClear },
          ),
      })
      .where(eq(parsers.id, params.id))
      .returning();
    if (!row) throw new AppError('not_found');
    return { ...toParserRecord(ctx.services, row, isNewSchema ? schema : current.schema), changes };
  });
};

/** Deletes a parser. Its versions stay for running work. @throws AppError not_found, in_use */
export const deleteParser: Perform<'deleteParser'> = async (ctx, { params }) => {
  refuseBuiltIn(params.id);
  return write(ctx, async (tx) => {
    await readOwn(tx, parsers, ctx.accountId, params.id, { lock: 'update' });
    await refuseUsed(tx, ctx.accountId, 'parser', params.id);
    await tx
      .update(parsers)
      .set({ deletedAt: sql`now()` })
      .where(eq(parsers.id, params.id));
  });
};
