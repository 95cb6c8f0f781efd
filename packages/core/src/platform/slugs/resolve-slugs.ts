import { slugsIn, type SluggedKind, type SlugPlace } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import { and, eq, inArray, isNull } from 'drizzle-orm';
import type { z } from 'zod';
import type { Context } from '../context.ts';

const { crons, databases, parsers, webhooks, workflows } = tables;

const TABLES = {
  parser: parsers,
  database: databases,
  cron: crons,
  workflow: workflows,
  webhook: webhooks,
  alert: webhooks,
} satisfies Record<SluggedKind, unknown>;

/**
 * Replaces slugs by ids in values that their schemas have parsed. An unknown slug stays, and is not found like an unknown
 * id.
 */
export async function resolveSlugs(
  { services, accountId }: Pick<Context, 'services' | 'accountId'>,
  parts: readonly (readonly [schema: z.ZodType | undefined, value: unknown])[],
): Promise<void> {
  const places = parts.flatMap(([schema, value]) => slugsIn(schema, value));
  const kinds = Map.groupBy(places, ({ kind }: SlugPlace) => kind);
  await Promise.all(
    [...kinds].map(async ([kind, ofKind]) => {
      const slugs = [...new Set(ofKind.map(({ slug }) => slug))];
      const table = TABLES[kind];
      const alive = 'deletedAt' in table ? isNull(table.deletedAt) : undefined;
      const rows = await services.db.orm
        .select({ id: table.id, slug: table.slug })
        .from(table)
        .where(and(eq(table.accountId, accountId), inArray(table.slug, slugs), alive));
      const ids = new Map(rows.map(({ id, slug }) => [slug, id]));
      for (const { slug, replace } of ofKind) replace(ids.get(slug) ?? slug);
    }),
  );
}
