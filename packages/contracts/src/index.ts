export * from './apis/index.ts';
export * from './errors.ts';
export * from './fields.ts';
export * from './operation.ts';
export * from './parser-schema.ts';
export * from './pricing.ts';
export * from './scrape-config.ts';
export * from './operations/credits.ts';
