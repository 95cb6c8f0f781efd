import type { Command } from 'commander';
import { note, print, printFields, printJson, printRows } from '../terminal/output.ts';
import { saveDownload } from './batch-output.ts';
import { exportQuery, withExport, type ExportFlags } from './export-flags.ts';
import { connect } from './connection.ts';
import { take, withLimit, type ListFlags } from './listing.ts';
import { findDatabaseId } from './named.ts';
import { parseJsonObject } from './read-file.ts';
import { serviceCommand, type ServiceFlags } from './service-command.ts';

export function registerDatabases(program: Command): void {
  const db = program.command('db').description('databases that batches and crons write rows to');
  withLimit(
    serviceCommand(db, { name: 'list', description: 'databases, newest first', examples: ['db list'] }),
  ).action(async (flags: ListFlags) => {
    const databases = await take(connect(flags).databases.list({ limit: 100 }), flags);
    if (flags.json === true) return printJson({ databases });
    printRows(
      databases.map(({ id, name, kind, schema, host, created_at }) => ({
        id,
        name,
        kind,
        where: schema ?? host,
        created: created_at,
      })),
    );
  });
  serviceCommand(db, {
    name: 'create',
    description: 'create a managed database',
    examples: ['db create shop'],
  })
    .argument('<name>', 'its name')
    .action(async (name: string, flags: ServiceFlags) => {
      const made = await connect(flags).databases.create({ name, kind: 'managed' });
      if (flags.json === true) printJson(made);
      else printFields({ id: made.id, name: made.name, kind: made.kind, schema: made.schema });
    });
  serviceCommand(db, { name: 'tables', description: 'tables of a database', examples: ['db tables shop'] })
    .argument('<database>', 'identifier or name')
    .action(async (database: string, flags: ServiceFlags) => {
      const client = connect(flags);
      const record = await client.databases.get(await findDatabaseId(client, database));
      if (flags.json === true) return printJson(record);
      if (record.problem !== null) note(record.problem);
      printRows(
        (record.tables ?? []).map(({ name, rows, key, columns }) => ({
          table: name,
          rows,
          key: key.join(', '),
          columns: columns.map((column) => column.name).join(', '),
        })),
      );
    });
  registerRows(db);
}

interface RowFlags extends ListFlags {
  orderBy?: string;
  filter?: string;
}

function registerRows(db: Command): void {
  withLimit(
    serviceCommand(db, {
      name: 'rows',
      description: 'rows of a table',
      examples: [
        'db rows shop products --order-by -price --limit 10',
        `db rows shop products --filter '{"price": {"lt": 20}}' --all --json`,
      ],
    })
      .argument('<database>', 'identifier or name')
      .argument('<table>', 'its name'),
  )
    .option('--order-by <column>', 'a leading minus sign sorts in descending order')
    .option('--filter <json>', 'conditions as a JSON object')
    .action(async (database: string, table: string, flags: RowFlags) => {
      const client = connect(flags);
      const { orderBy, filter } = flags;
      const rows = client.databases.listRows(await findDatabaseId(client, database), table, {
        limit: 100,
        ...(orderBy === undefined ? {} : { order_by: orderBy }),
        ...(filter === undefined ? {} : { filter: parseJsonObject(filter, '--filter') }),
      });
      const taken = await take(rows, flags);
      if (flags.json === true) for (const row of taken) print(JSON.stringify(row));
      else printRows(taken);
    });
  withExport(
    serviceCommand(db, {
      name: 'export',
      description: 'a whole table as one stream',
      examples: [
        'db export shop products > products.csv',
        'db export shop products --format parquet -o products.parquet',
      ],
    })
      .argument('<database>', 'identifier or name')
      .argument('<table>', 'its name'),
    'rows',
  )
    .option('--filter <json>', 'conditions as a JSON object')
    .action(async (database: string, table: string, flags: TableExportFlags) => {
      const client = connect(flags);
      const { filter, output } = flags;
      const chosen = exportQuery(flags);
      const id = await findDatabaseId(client, database);
      const query = {
        ...chosen,
        ...(filter === undefined ? {} : { filter: parseJsonObject(filter, '--filter') }),
      };
      await saveDownload(await client.databases.exportTable(id, table, query), output);
    });
}

interface TableExportFlags extends ServiceFlags, ExportFlags {
  filter?: string;
}
