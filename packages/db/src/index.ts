export { backUp, type BackupPlace } from './backup.ts';
export * from './database.ts';
export { withFreshClients } from './fresh-client.ts';
export { dropUnusedEngines } from './engine/drop-unused-engines.ts';
export { migrate } from './migrate.ts';
export * from './inspect-database.ts';
export * as tables from './schema/index.ts';
export * from './error-codes.ts';
export { planMigration, type MigrationPlan, type PlannedStatement } from './plan-migration.ts';
