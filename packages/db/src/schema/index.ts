export * from './accounts.ts';
export * from './namespace.ts';
export * from './parsers.ts';
export * from './requests.ts';
