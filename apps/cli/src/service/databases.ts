import type { Command } from 'commander';
import { printFields, printJson } from '../terminal/output.ts';
import { saveDownload } from './batch-output.ts';
import { exportQuery, withExport, type ExportFlags } from './export-flags.ts';
import { connect, findId, serviceCommand, type ServiceFlags } from './service-command.ts';
import { parseJsonObject } from '../read-file.ts';
import { GROUPS } from './records.ts';

export function registerDatabases(program: Command): void {
  const db = program.command('db').description(GROUPS.databases.about);
  serviceCommand(db, 'create', 'create a managed database', ['db create shop'])
    .argument('<name>', 'its name')
    .action(async (name: string, flags: ServiceFlags) => {
      const made = await connect(flags).databases.create({ name, kind: 'managed' });
      if (flags.json === true) printJson(made);
      else printFields({ id: made.id, name: made.name, kind: made.kind, schema: made.schema });
    });
  withExport(
    serviceCommand(db, 'export', 'a whole table as one stream', [
      'db export shop products > products.csv',
      'db export shop products --format parquet -o products.parquet',
    ])
      .argument('<database>', 'id, slug or name')
      .argument('<table>', 'its name'),
    'rows',
  )
    .option('--filter <json>', 'conditions as a JSON object')
    .action(
      async (database: string, table: string, flags: ServiceFlags & ExportFlags & { filter?: string }) => {
        const client = connect(flags);
        const { filter, output } = flags;
        const chosen = exportQuery(flags);
        const id = await findId(client, 'databases', database);
        const conditions = filter === undefined ? undefined : parseJsonObject(filter, '--filter');
        await saveDownload(
          await client.databases.exportTable(id, table, { ...chosen, filter: conditions }),
          output,
        );
      },
    );
}
