/**
 * The vocabulary: each list of values that an API, a table or a page names, once. Schemas, columns and tables of texts
 * are made of these lists. Nothing here imports a library, so the dashboard bundles only what it uses.
 */
export * from './apis.ts';
export * from './crawls.ts';
export * from './credits.ts';
export * from './crons.ts';
export * from './databases.ts';
export * from './exact-json.ts';
export * from './fetching.ts';
export * from './health.ts';
export * from './identifiers.ts';
export * from './is-object.ts';
export * from './is-one-of.ts';
export * from './page-parser.ts';
export * from './parsers.ts';
export * from './pricing.ts';
export * from './ways.ts';
export * from './processes.ts';
export * from './runs.ts';
export * from './slugs.ts';
export * from './table-types.ts';
export * from './text-difference.ts';
export * from './webhooks.ts';
