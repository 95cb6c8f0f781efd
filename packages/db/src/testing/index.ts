export * from './provided.ts';
export * from './test-database.ts';
export * from './test-redis.ts';
