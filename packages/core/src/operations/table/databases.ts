import * as operations from '@gleaner/contracts';
import { createDatabaseCredentials } from '../../storage/databases/create-credentials.ts';
import { createDatabase } from '../../storage/databases/create-database.ts';
import { deleteDatabase } from '../../storage/databases/delete-database.ts';
import { dropTable } from '../../storage/databases/drop-table.ts';
import { exportTable } from '../../storage/databases/export-table.ts';
import { getDatabase } from '../../storage/databases/get-database.ts';
import { listDatabases } from '../../storage/databases/list-databases.ts';
import { listRows } from '../../storage/databases/list-rows.ts';
import { updateDatabase } from '../../storage/databases/update-database.ts';
import { pair } from '../pair.ts';

export const databaseEntries = [
  pair(operations.createDatabase, createDatabase),
  pair(operations.listDatabases, listDatabases),
  pair(operations.getDatabase, getDatabase),
  pair(operations.updateDatabase, updateDatabase),
  pair(operations.deleteDatabase, deleteDatabase),
  pair(operations.listRows, listRows),
  pair(operations.exportTable, exportTable),
  pair(operations.dropTable, dropTable),
  pair(operations.createDatabaseCredentials, createDatabaseCredentials),
];
