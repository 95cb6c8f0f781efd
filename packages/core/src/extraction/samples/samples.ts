import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import {
  AppError,
  MAX_SAMPLE_BYTES,
  MAX_SAMPLES,
  type createParserSample as createOperation,
  type deleteParserSample as deleteOperation,
  type listParserSamples as listOperation,
  type OperationInput,
  type OperationOutput,
  type ParserSchema,
} from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { and, count, desc, eq } from 'drizzle-orm';
import { readBalance } from '../../accounts/credits/read-balance.ts';
import type { ParsingServices } from '../parse/parse-html.ts';
import { requireHtmlText } from '../parse/require-html-text.ts';
import { fetchHtml } from '../suggest/fetch-html.ts';
import { readKeptPage, type PageServices } from '../../pages/read-pages.ts';
import { write, type Context } from '../../platform/context.ts';
import { createId } from '../../platform/ids.ts';
import { readParser } from '../../parsers/get-parser.ts';
import { lockParser } from '../../parsers/update-parser.ts';
import { readSample } from '../../parsers/replay-samples.ts';

const { parserSamples } = tables;
const compress = promisify(zstdCompress);

type SampleServices = ParsingServices & PageServices;
type Body = OperationInput<typeof createOperation>['body'];
type SampleRow = Omit<typeof parserSamples.$inferSelect, 'html'>;

// Checked by the operation.
function toRecord({ id, url, expected, sizeBytes, createdAt }: SampleRow) {
  return {
    id,
    url,
    expected: expected as Record<string, unknown> | null,
    size_bytes: sizeBytes,
    created_at: createdAt,
  };
}

async function readSource(
  ctx: Context<SampleServices>,
  { html, url, page }: Body,
): Promise<{ html: string; url: string | null }> {
  if (page !== undefined) {
    const kept = await readKeptPage(ctx.services, ctx.accountId, page);
    return { html: kept.html, url: kept.final_url };
  }
  if (html !== undefined) return { html, url: url ?? null };
  const fetched = await fetchHtml(ctx, url ?? '', {});
  return { html: fetched.html, url: fetched.finalUrl };
}

// A stored schema was checked when it was saved.
function asSchema(schema: Record<string, unknown>): ParserSchema {
  return schema as ParserSchema;
}

export async function createParserSample(
  ctx: Context<SampleServices>,
  { params, body }: OperationInput<typeof createOperation>,
): Promise<OperationOutput<typeof createOperation>> {
  const { services, accountId, signal } = ctx;
  const parser = await readParser(services.db.orm, accountId, params.id);
  const source = await readSource(ctx, body);
  requireHtmlText(source.html);
  const sizeBytes = Buffer.byteLength(source.html);
  if (sizeBytes > MAX_SAMPLE_BYTES)
    throw new AppError('html_too_large', { field: 'html', detail: 'a sample has at most 4 MB' });
  const expected =
    body.expected === 'current'
      ? await readSample({ pool: services.pool, accountId, signal }, asSchema(parser.schema), source)
      : body.expected;
  const html = await compress(source.html);
  ctx.credits ??= { used: 0, remaining: await readBalance(services.db, accountId) };
  return write(ctx, async (tx) => {
    await lockParser(tx, accountId, parser.id);
    const [stored] = await tx
      .select({ count: count() })
      .from(parserSamples)
      .where(eq(parserSamples.parserId, parser.id));
    if ((stored?.count ?? 0) >= MAX_SAMPLES) {
      throw new AppError('plan_limit_exceeded', {
        detail: `a parser has at most ${MAX_SAMPLES} samples`,
        retryable: false,
      });
    }
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
}

export async function listParserSamples(
  ctx: Context,
  { params }: OperationInput<typeof listOperation>,
): Promise<OperationOutput<typeof listOperation>> {
  const { orm } = ctx.services.db;
  const parser = await readParser(orm, ctx.accountId, params.id);
  const { html: _, ...columns } = {
    id: parserSamples.id,
    accountId: parserSamples.accountId,
    parserId: parserSamples.parserId,
    url: parserSamples.url,
    html: parserSamples.html,
    sizeBytes: parserSamples.sizeBytes,
    expected: parserSamples.expected,
    createdAt: parserSamples.createdAt,
  };
  const rows = await orm
    .select(columns)
    .from(parserSamples)
    .where(eq(parserSamples.parserId, parser.id))
    .orderBy(desc(parserSamples.id));
  return { samples: rows.map(toRecord) };
}

export async function deleteParserSample(
  ctx: Context,
  { params }: OperationInput<typeof deleteOperation>,
): Promise<void> {
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
  if (gone.length === 0) throw new AppError('not_found');
}
