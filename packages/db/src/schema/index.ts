export * from './accounts.ts';
export * from './databases.ts';
export * from './namespace.ts';
export * from './parsers.ts';
export * from './requests.ts';
export * from './runs.ts';
export * from './webhooks.ts';
export * from './workflows.ts';
