import type { DatabaseSink } from '@gleaner/contracts';
import { createTestDatabase } from '@gleaner/db/testing';
import type { Context } from '../../../platform/context.ts';
import { createFairShare } from '../../../platform/rate-limits/fair-share.ts';
import type { SinkColumn } from '../../columns/columns.ts';
import { createDatabase } from '../../databases/change-databases.ts';
import { none, openTestDatabases } from '../../databases/testing/test-databases.ts';
import { openSinkWriter, type SinkWriter } from '../../sinks/sink-writer.ts';
import type { RelativeValues } from '../../sinks/to-rows.ts';
import { writeSettledRows } from '../../sinks/write-rows.ts';
import { getChanges, type ChangeServices } from '../read-changes.ts';
import type { Change } from '../show-change.ts';
import { updateTable } from '../update-table.ts';

export interface Product {
  sku: string;
  price?: number | null;
  stock?: number | null;
  tags?: unknown;
  seen?: string | null;
}

const COLUMNS: SinkColumn[] = [
  { name: 'sku', type: 'text', nullable: false, key: true },
  { name: 'price', type: 'double precision', nullable: true, key: false },
  { name: 'stock', type: 'bigint', nullable: true, key: false },
  { name: 'tags', type: 'jsonb', nullable: true, key: false },
  { name: 'seen', type: 'timestamptz', nullable: true, key: false },
];

/** When the first page of a test was fetched. */
const BEGINNING = Date.now() - 900_000;

interface Page {
  url?: string;
  second?: number;
  relative?: RelativeValues;
}

/** A database with tables that keep their changes. @param kind external: its tables are in another database */
export async function openFeed(kind: 'managed' | 'external') {
  const own = await openTestDatabases();
  const elsewhere = kind === 'external' ? await createTestDatabase() : undefined;
  const services: ChangeServices = Object.assign(own.ctx.services, { fairShare: createFairShare() });
  const ctx: Context<ChangeServices> = { ...own.ctx, services };
  const body = elsewhere
    ? ({ name: 'theirs', kind: 'postgres', connection_url: elsewhere.url } as const)
    : ({ name: 'shop', kind: 'managed' } as const);
  const { id, schema } = await createDatabase(ctx, { ...none, body });
  const sql = elsewhere?.db.sql ?? own.sql;
  const [at] = await sql<{ schema: string }[]>`SELECT current_schema() AS schema`;
  const place = schema ?? at?.schema ?? '';
  const deps = { db: own.test.db, external: services.external };
  const open = (
    sink: Partial<DatabaseSink> & { table: string },
    runId = 'job_1',
    columns: readonly SinkColumn[] = COLUMNS,
  ): Promise<SinkWriter> =>
    openSinkWriter(deps, {
      accountId: ctx.accountId,
      runId,
      sink: { mode: 'database', database: id, contract: 'evolve', nulls: 'keep', ...sink },
      columns,
    });
  const toRows = (
    writer: SinkWriter,
    products: readonly Product[],
    { url = 'http://a/', second = 0, relative }: Page,
  ) =>
    products.flatMap((data) => {
      const made = writer.toRows({
        url,
        fetchedAt: new Date(BEGINNING + second * 1_000).toISOString(),
        data,
        relative,
      });
      if ('error' in made) throw new Error(made.error.detail);
      return made.rows;
    });
  const params = (table: string) => ({ id, table });
  return {
    id,
    ctx,
    stranger: own.stranger,
    sql,
    ownSql: own.sql,
    schema: place,
    open,
    toRows,
    /** Writes the rows of one page, as a worker does: again when the table had changed. */
    save: async (writer: SinkWriter, products: readonly Product[], page: Page = {}): Promise<void> => {
      for (let tries = 1; ; tries += 1) {
        await writer.prepare();
        const rows = toRows(writer, products, page);
        try {
          if (writer.kind === 'managed') await writeSettledRows(own.sql, writer.settledRows(rows));
          else {
            const [fault] = (await writer.writeExternal(rows)).values();
            if (fault) throw new Error(fault.detail);
          }
          return;
        } catch (error) {
          if (tries === 5 || !(await writer.recover(error))) throw error;
        }
      }
    },
    put: (table: string, settings: Parameters<typeof updateTable>[1]['body']) =>
      updateTable(ctx, { ...none, params: params(table), body: settings }),
    changes: async (
      table: string,
      query: Partial<Parameters<typeof getChanges>[1]['query']> = {},
    ): Promise<{ changes: Change[]; cursor: string }> => {
      const answer = await getChanges(ctx, {
        ...none,
        params: params(table),
        query: {
          after: undefined,
          before: undefined,
          limit: 100,
          kinds: undefined,
          wait: 0,
          format: 'json',
          ...query,
        },
      });
      if ('stream' in answer) throw new Error('a stream');
      return answer;
    },
    rows: (table: string) =>
      sql.unsafe<Record<string, unknown>[]>(`SELECT * FROM "${place}"."${table}" ORDER BY 1`),
    close: async (): Promise<void> => {
      await own.close();
      await elsewhere?.close();
    },
  };
}

/** What is told of a change in one line. */
export function tell({ kind, key, before, after, row }: Change): string {
  return JSON.stringify([
    kind,
    key['sku'],
    ...[before, after, row && { price: row['price'] }].filter(Boolean),
  ]);
}
