import { isDeepStrictEqual, promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { AppError, MAX_SAMPLE_BYTES, type ParserSchema, shortenText } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { eq } from 'drizzle-orm';
import type { Context } from '../platform/context.ts';
import { callerOf, type ExtractionServices } from './check-parser-schema.ts';
import type { ReadingParser } from './read-parsers.ts';
import { toUnsavedParser } from './parser-cache.ts';

const decompress = promisify(zstdDecompress);

/** All samples of a save together. */
const WITHIN_MS = 60_000;
const MAX_NAMED = 10;
/** Characters of JSON of one value in a comparison, and of one after the comparison has MOST_CHARACTERS. */
const LONG_VALUE = 10_000;
const SHORT_VALUE = 100;
const MOST_CHARACTERS = 8_000_000;

/** What two versions read differently in one field of a sample. */
export interface SampleChange {
  sample: string;
  url: string | null;
  field: string;
  before: unknown;
  after: unknown;
  expected?: unknown;
}

/**
 * What a schema reads on a page; fields that fail are null.
 * @throws AppError extraction_failed when a limit ended the extraction
 */
export async function readSample(
  ctx: Context<ExtractionServices>,
  schema: ParserSchema,
  { html, url, composed }: { html: string; url: string | null; composed: boolean },
): Promise<Record<string, unknown>> {
  const known = url ?? undefined;
  const extraction = await ctx.services.pool.extract({
    parserKey: toUnsavedParser(schema).key,
    schema,
    page: { body: html, url: known, finalUrl: known, composed },
    partial: true,
    ...callerOf(ctx),
  });
  if (!extraction.ok && extraction.failure.isStopped === true)
    throw new AppError('extraction_failed', {
      detail: `a sample: ${extraction.failure.detail}`,
      retryable: false,
    });
  return extraction.data ?? {};
}

/** A field may have the name of a member that every object has. */
function valueOf(values: Record<string, unknown>, field: string): unknown {
  return Object.hasOwn(values, field) ? (values[field] ?? null) : null;
}

function compare(
  sample: { id: string; url: string | null; expected: unknown },
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): SampleChange[] {
  // Checked when the sample was made.
  const expected = (sample.expected ?? {}) as Record<string, unknown>;
  const names = new Set([...Object.keys(before), ...Object.keys(after), ...Object.keys(expected)]);
  return [...names].flatMap((field) => {
    const change = {
      sample: sample.id,
      url: sample.url,
      field,
      before: valueOf(before, field),
      after: valueOf(after, field),
      ...(Object.hasOwn(expected, field) ? { expected: expected[field] } : {}),
    };
    const isChanged = !isDeepStrictEqual(change.before, change.after);
    return isChanged || isBroken(change) ? [change] : [];
  });
}

function isBroken(change: SampleChange): boolean {
  return 'expected' in change && !isDeepStrictEqual(change.after, change.expected ?? null);
}

/** A later reader may read what a sample expects otherwise: then no version is to blame. */
function wasRight({ before, expected }: SampleChange): boolean {
  return isDeepStrictEqual(before, expected ?? null);
}

export async function unpackSample(html: Buffer): Promise<string> {
  return (await decompress(html, { maxOutputLength: MAX_SAMPLE_BYTES })).toString('utf8');
}

/** A change in which values and addresses longer than `most` characters are shortened, and its length in JSON. */
function showChange(change: SampleChange, most: number): { change: SampleChange; characters: number } {
  let characters = 0;
  const show = (value: unknown): unknown => {
    // A long text is not made twice as long first.
    const text = typeof value === 'string' && value.length > most ? value : JSON.stringify(value ?? null);
    characters += Math.min(text.length, most);
    // A copy: a part of a long text would hold the whole of it in memory.
    return text.length <= most ? value : Buffer.from(shortenText(text, most)).toString('utf8');
  };
  const url = change.url === null ? null : shortenText(change.url, most);
  characters += url?.length ?? 0;
  const shown = { ...change, url, before: show(change.before), after: show(change.after) };
  return { change: 'expected' in change ? { ...shown, expected: show(change.expected) } : shown, characters };
}

/** Runs both schemas over the samples, one at a time, in the killable threads. */
export async function compareOnSamples(
  ctx: Context<ExtractionServices>,
  { id: parserId, composed }: Pick<ReadingParser, 'id' | 'composed'>,
  schemas: { before: ParserSchema; after: ParserSchema },
) {
  const { parserSamples } = tables;
  const { orm } = ctx.services.db;
  const ids = await orm
    .select({ id: parserSamples.id })
    .from(parserSamples)
    .where(eq(parserSamples.parserId, parserId));
  const limited = { ...ctx, signal: AbortSignal.any([ctx.signal, AbortSignal.timeout(WITHIN_MS)]) };
  const changes: SampleChange[] = [];
  /** Changes after which a field is not as expected, and those of them before which it was. */
  let broken = 0;
  const regressed: SampleChange[] = [];
  let room = MOST_CHARACTERS;
  for (const { id } of ids) {
    const [sample] = await orm.select().from(parserSamples).where(eq(parserSamples.id, id));
    if (!sample) continue;
    const page = { html: await unpackSample(sample.html), url: sample.url, composed };
    const before = await readSample(limited, schemas.before, page);
    const after = await readSample(limited, schemas.after, page);
    for (const change of compare(sample, before, after)) {
      const shown = showChange(change, room > 0 ? LONG_VALUE : SHORT_VALUE);
      room -= shown.characters;
      changes.push(shown.change);
      if (!isBroken(change)) continue;
      broken += 1;
      if (wasRight(change)) regressed.push(shown.change);
    }
  }
  return { samples: ids.length, changes, broken, regressed };
}

/**
 * Compares a new version with the current one.
 * @throws AppError regression that names sample and field where the current version reads what the sample expects, unless
 *   forced
 */
export async function replaySamples(
  ctx: Context<ExtractionServices>,
  parser: Pick<ReadingParser, 'id' | 'composed'>,
  schemas: { before: ParserSchema; after: ParserSchema },
  isForced: boolean,
): Promise<SampleChange[]> {
  const { changes, regressed } = await compareOnSamples(ctx, parser, schemas);
  if (regressed.length > 0 && !isForced)
    throw new AppError('regression', {
      field: 'schema',
      detail: regressed
        .slice(0, MAX_NAMED)
        .map(
          ({ sample, field, after, expected }) =>
            `${sample}: ${field} is ${shorten(after)}, expected ${shorten(expected)}`,
        )
        .join('; '),
    });
  return changes;
}

function shorten(value: unknown): string {
  const text =
    typeof value === 'string' ? JSON.stringify(shortenText(value, 100)) : JSON.stringify(value ?? null);
  return shortenText(text, 100);
}
