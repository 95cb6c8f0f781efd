import type { ParserSchema } from '@gleaner/contracts';
import { tables } from '@gleaner/db';
import type { Services } from '../platform/context.ts';
import { createGuardedDatabases } from '../storage/external/guarded-databases.ts';
import { parseEgressAllow, createEgressGuard } from '@gleaner/fetching/egress';
import { createId } from '../platform/ids.ts';
import { createParserCache } from '../parsers/parser-cache.ts';
import type { SubmitServices } from '../runs/submission/run-services.ts';

/** What a process that serves no requests, such as the scheduler, builds to submit runs. */
export function createSubmitServices({
  config,
  db,
  queue,
  log,
}: Pick<Services, 'config' | 'db' | 'queue' | 'log'>): SubmitServices {
  const guard = createEgressGuard({ allow: parseEgressAllow(config.egressAllow) });
  const external = createGuardedDatabases(config, guard);
  return { config, db, queue, log, external, parsers: createParserCache(db) };
}

/** The id of a new parser with one version per schema; the last is the current one. */
export async function createTestParser(
  { db }: Pick<Services, 'db'>,
  accountId: string,
  schemas: readonly ParserSchema[] = [{ fields: { title: 'h1' } }],
): Promise<string> {
  const id = createId('parser');
  await db.orm
    .insert(tables.parsers)
    .values({ id, accountId, name: id, version: schemas.length, scrapeConfig: {} });
  await db.orm
    .insert(tables.parserVersions)
    .values(schemas.map((schema, index) => ({ parserId: id, version: index + 1, schema })));
  return id;
}
