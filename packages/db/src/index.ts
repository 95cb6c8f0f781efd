export * from './database.ts';
export * from './migrate.ts';
export * as tables from './schema/index.ts';
export * from './error-codes.ts';
