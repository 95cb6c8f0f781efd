import * as operations from '@gleaner/contracts';
import {
  createDatabase,
  createDatabaseCredentials,
  deleteDatabase,
  dropTable,
  exportTable,
  getDatabase,
  listDatabases,
  listRows,
  updateDatabase,
} from '@gleaner/core';
import { endpoint, inTurn } from '../endpoint.ts';

export const databaseEndpoints = [
  endpoint(operations.createDatabase, createDatabase),
  endpoint(operations.listDatabases, listDatabases),
  endpoint(operations.getDatabase, getDatabase),
  endpoint(operations.updateDatabase, updateDatabase),
  endpoint(operations.deleteDatabase, inTurn(deleteDatabase)),
  endpoint(operations.listRows, listRows),
  endpoint(operations.exportTable, exportTable),
  endpoint(operations.dropTable, dropTable),
  endpoint(operations.createDatabaseCredentials, createDatabaseCredentials),
];
