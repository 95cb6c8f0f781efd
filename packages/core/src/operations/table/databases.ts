import * as operations from '@gleaner/contracts';
import { createDatabaseCredentials } from '../../databases/create-credentials.ts';
import { createDatabase } from '../../databases/create-database.ts';
import { deleteDatabase } from '../../databases/delete-database.ts';
import { dropTable } from '../../databases/drop-table.ts';
import { exportTable } from '../../databases/export-table.ts';
import { getDatabase } from '../../databases/get-database.ts';
import { listDatabases } from '../../databases/list-databases.ts';
import { listRows } from '../../databases/list-rows.ts';
import { updateDatabase } from '../../databases/update-database.ts';
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
