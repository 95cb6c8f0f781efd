import { AppError, versionField, type ParserSchema } from '@gleaner/contracts';
import { tables, type Executor } from '@gleaner/db';
import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import { readOwn } from '../platform/references/used.ts';
import { write, type Perform } from '../platform/context.ts';
import { listPage } from '../platform/lists/page.ts';
import { checkParserSchema, type ExtractionServices } from './check-parser-schema.ts';
import { readParser, schemaSize, toParserRecord } from './read-parsers.ts';
import { addParserVersion, requireSameVersion } from './change-parsers.ts';
import { compareOnSamples, replaySamples } from './replay-samples.ts';

/**
 * What two versions, or a version and an unsaved schema, read differently on the samples.
 * @throws AppError not_found: no such version; invalid_request: a fault of the schema
 */
export const compareParserVersions: Perform<'compareParserVersions', ExtractionServices> = async (
  ctx,
  { params, body },
) => {
  const { orm } = ctx.services.db;
  const parser = await readParser(orm, ctx.accountId, params.id);
  const before = body.before ?? parser.version;
  const schemas = {
    before: await readVersionSchema(orm, parser.id, before, 'before'),
    after:
      body.after === undefined
        ? await checkParserSchema(ctx, body.schema)
        : await readVersionSchema(orm, parser.id, body.after, 'after'),
  };
  const { samples, changes, broken } = await compareOnSamples(ctx, parser, schemas);
  return { before, after: body.after ?? null, samples, changes, broken };
};

const { parsers, parserVersions } = tables;

/**
 * The schema of any version of a parser. The caller has checked the owner.
 * @throws AppError not_found when the version does not exist
 */
export async function readVersionSchema(
  db: Executor,
  parserId: string,
  version: number,
  field?: string,
): Promise<ParserSchema> {
  const [row] = versionField.safeParse(version).success
    ? await db
        .select({ schema: parserVersions.schema })
        .from(parserVersions)
        .where(and(eq(parserVersions.parserId, parserId), eq(parserVersions.version, version)))
    : [];
  if (row) return row.schema;
  throw new AppError('not_found', { field, detail: `the parser has no version ${version}` });
}

export const listParserVersions: Perform<'listParserVersions'> = async (ctx, { params, query }) => {
  const parser = await readParser(ctx.services.db.orm, ctx.accountId, params.id);
  const { orm } = ctx.services.db;
  const columns = { ...getTableColumns(parserVersions), id: parserVersions.version };
  const { items, pagination } = await listPage(
    query,
    parserVersions.version,
    [eq(parserVersions.parserId, params.id)],
    orm.select(columns).from(parserVersions),
    orm.select({ size: schemaSize }).from(parserVersions),
  );
  return {
    versions: items.map((row) => ({
      version: row.version,
      schema: row.schema,
      restored_from: row.restoredFrom,
      source: row.source,
      is_current: row.version === parser.version,
      created_at: row.createdAt,
    })),
    pagination,
  };
};

/** Restores an old schema as a new version. */
export const restoreParserVersion: Perform<'restoreParserVersion', ExtractionServices> = async (
  ctx,
  { params, query },
) => {
  const { orm } = ctx.services.db;
  const tried = await readParser(orm, ctx.accountId, params.id);
  const restored = await readVersionSchema(orm, params.id, params.n);
  const schemas = { before: tried.schema, after: restored };
  const changes = await replaySamples(ctx, tried, schemas, query.force === true);
  return write(ctx, async (tx) => {
    await readOwn(tx, parsers, ctx.accountId, params.id, { lock: 'update' });
    const current = await readParser(tx, ctx.accountId, params.id);
    const schema = await readVersionSchema(tx, params.id, params.n);
    requireSameVersion(tried, current);
    const isCurrent = params.n === current.version;
    const version = isCurrent
      ? current.version
      : await addParserVersion(tx, { parserId: params.id, schema, restoredFrom: params.n });
    const [row] = await tx
      .update(parsers)
      .set({ version, ...(isCurrent ? {} : { updatedAt: sql`now()` }) })
      .where(eq(parsers.id, params.id))
      .returning();
    if (!row) throw new AppError('not_found');
    return { ...toParserRecord(ctx.services, row, schema), changes: isCurrent ? [] : changes };
  });
};
