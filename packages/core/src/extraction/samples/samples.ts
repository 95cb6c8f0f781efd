import { requireRoom } from '../../accounts/account-record.ts';
import { invalid } from '../../platform/invalid-request.ts';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import { AppError, MAX_SAMPLE_BYTES, MAX_SAMPLES } from '@gleaner/contracts';
import { tables, type Executor } from '@gleaner/db';
import { withXmlDeclaration } from '@gleaner/extractors';
import { and, desc, eq, getTableColumns, ne, sql } from 'drizzle-orm';
import { creditsOf } from '../../accounts/credits/credits.ts';
import { requireHtmlText, type ParsingServices, fetchHtml } from '../parse/parse-html.ts';
import { readKeptPage, type PageServices } from '../../storage/pages/read-pages.ts';
import { write, type Context, type Perform, type InputOf } from '../../platform/context.ts';
import { createId } from '../../platform/ids.ts';
import { readParser } from '../../parsers/read-parsers.ts';
import { readOwn } from '../../platform/references/used.ts';
import { readSample, unpackSample } from '../../parsers/replay-samples.ts';

const { parserSamples } = tables;
const compress = promisify(zstdCompress);

type SampleServices = ParsingServices & PageServices;
type Body = InputOf<'createParserSample'>['body'];
type SampleRow = Omit<typeof parserSamples.$inferSelect, 'html'>;

// Checked by the operation.
function toRecord({ id, url, expected, sizeBytes, createdAt }: SampleRow) {
  const known = expected as Record<string, unknown> | null;
  return { id, url, expected: known, size_bytes: sizeBytes, created_at: createdAt };
}

async function readSource(
  ctx: Context<SampleServices>,
  { html: given, url, page }: Body,
): Promise<{ html: string; url: string | null }> {
  if (page !== undefined) {
    const kept = await readKeptPage(ctx.services, ctx.accountId, page);
    // A sample has no type.
    const html = withXmlDeclaration(kept.html, kept.content_type ?? undefined);
    return { html, url: kept.final_url };
  }
  if (given !== undefined) return { html: given, url: url ?? null };
  const fetched = await fetchHtml(ctx, url ?? '', {});
  return { html: fetched.html, url: fetched.finalUrl };
}

/** Characters of JSON. */
const MAX_EXPECTED = 1_000_000;
/** Bytes of `expected` in all samples of a parser, which are listed together. */
const MAX_EXPECTED_TOGETHER = 8_000_000;

/** @throws AppError invalid_request when there is too much to expect */
function checkExpected<T extends Record<string, unknown> | null | undefined>(expected: T): T {
  if (expected != null && JSON.stringify(expected).length > MAX_EXPECTED)
    throw invalid(
      'expected',
      'it has more than 1,000,000 characters of JSON',
      'Name the fields that matter; a field that is left out is not tested.',
    );
  return expected;
}

/** @throws AppError plan_limit_exceeded when the parser's samples expect too much together. @param id of the sample that changes */
async function requireExpectedRoom(
  db: Executor,
  parserId: string,
  expected: object | null | undefined,
  id = '',
): Promise<void> {
  const { expected: stored } = parserSamples;
  const [others] = await db
    .select({ characters: sql<number>`coalesce(sum(length(${stored}::text)), 0)::float8` })
    .from(parserSamples)
    .where(and(eq(parserSamples.parserId, parserId), ne(parserSamples.id, id)));
  if ((others?.characters ?? 0) + JSON.stringify(expected ?? null).length > MAX_EXPECTED_TOGETHER)
    throw new AppError('plan_limit_exceeded', {
      field: 'expected',
      detail: 'all samples of a parser expect at most 8,000,000 characters of JSON',
      hint: 'Expect only the fields that matter, or delete samples.',
      retryable: false,
    });
}

export const createParserSample: Perform<'createParserSample', SampleServices> = async (
  ctx,
  { params, body },
) => {
  const { accountId } = ctx;
  const parser = await readParser(ctx.services.db.orm, accountId, params.id);
  const source = await readSource(ctx, body);
  requireHtmlText(source.html);
  const sizeBytes = Buffer.byteLength(source.html);
  if (sizeBytes > MAX_SAMPLE_BYTES)
    throw new AppError('html_too_large', { field: 'html', detail: 'a sample has at most 4 MB' });
  const expected = checkExpected(
    body.expected === 'current'
      ? await readSample(ctx, parser.schema, { ...source, composed: parser.composed })
      : body.expected,
  );
  const html = await compress(source.html);
  ctx.storedBytes = html.length + JSON.stringify(expected ?? null).length;
  await creditsOf(ctx);
  return write(ctx, async (tx) => {
    await readOwn(tx, tables.parsers, accountId, parser.id, { lock: 'update' });
    const known = await tx.$count(parserSamples, eq(parserSamples.parserId, parser.id));
    requireRoom(known, MAX_SAMPLES, `a parser has at most ${MAX_SAMPLES} samples`);
    await requireExpectedRoom(tx, parser.id, expected);
    const [row] = await tx
      .insert(parserSamples)
      .values({
        id: createId('sample'),
        accountId,
        parserId: parser.id,
        url: source.url,
        html,
        sizeBytes,
        expected: expected ?? null,
      })
      .returning();
    if (!row) throw new Error('the new sample was not returned');
    return toRecord(row);
  });
};

export const listParserSamples: Perform<'listParserSamples'> = async (ctx, { params }) => {
  const { orm } = ctx.services.db;
  const parser = await readParser(orm, ctx.accountId, params.id);
  const { html: _, ...columns } = getTableColumns(parserSamples);
  const rows = await orm
    .select(columns)
    .from(parserSamples)
    .where(eq(parserSamples.parserId, parser.id))
    .orderBy(desc(parserSamples.id));
  return { samples: rows.map(toRecord) };
};

/** @throws AppError not_found: the parser, or its sample */
async function findSample(ctx: Context, { id, sample }: { id: string; sample: string }) {
  const { orm } = ctx.services.db;
  const parser = await readParser(orm, ctx.accountId, id);
  const [row] = await orm
    .select()
    .from(parserSamples)
    .where(and(eq(parserSamples.id, sample), eq(parserSamples.parserId, parser.id)));
  if (!row) throw new AppError('not_found', { field: 'sample' });
  return { parser, row, html: await unpackSample(row.html) };
}

/** What the current version reads on the sample. */
function readCurrent(
  ctx: Context<SampleServices>,
  { parser, row, html }: Awaited<ReturnType<typeof findSample>>,
): Promise<Record<string, unknown>> {
  return readSample(ctx, parser.schema, { html, url: row.url, composed: parser.composed });
}

export const getParserSample: Perform<'getParserSample', SampleServices> = async (ctx, { params }) => {
  const found = await findSample(ctx, params);
  return { ...toRecord(found.row), html: found.html, read: await readCurrent(ctx, found) };
};

export const updateParserSample: Perform<'updateParserSample', SampleServices> = async (
  ctx,
  { params, body },
) => {
  const found = await findSample(ctx, params);
  const expected = checkExpected(body.expected === 'current' ? await readCurrent(ctx, found) : body.expected);
  const { orm } = ctx.services.db;
  await requireExpectedRoom(orm, found.parser.id, expected, found.row.id);
  const [row] = await orm
    .update(parserSamples)
    .set({ expected })
    .where(eq(parserSamples.id, found.row.id))
    .returning();
  if (!row) throw new AppError('not_found', { field: 'sample' });
  return toRecord(row);
};

export const deleteParserSample: Perform<'deleteParserSample'> = async (ctx, { params }) => {
  const { orm } = ctx.services.db;
  const gone = await orm
    .delete(parserSamples)
    .where(
      and(
        eq(parserSamples.id, params.sample),
        eq(parserSamples.parserId, params.id),
        eq(parserSamples.accountId, ctx.accountId),
      ),
    )
    .returning({ id: parserSamples.id });
  if (gone.length === 0) throw new AppError('not_found', { field: 'sample' });
};
