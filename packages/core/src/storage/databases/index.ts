export { createDatabaseCredentials } from './create-credentials.ts';
export { createDatabase } from './create-database.ts';
export type { DatabaseServices } from './database-services.ts';
export { deleteDatabase } from './delete-database.ts';
export { dropTable } from './drop-table.ts';
export { exportTable } from './export-table.ts';
export {
  createExternalDatabases,
  type ExternalDatabases,
  type ExternalOptions,
  type ResolveEgress,
} from '../external/external-databases.ts';
export { getDatabase } from './get-database.ts';
export { listDatabases } from './list-databases.ts';
export { listRows } from './list-rows.ts';
export { endLongReaders } from './reader-login.ts';
export { updateDatabase } from './update-database.ts';
