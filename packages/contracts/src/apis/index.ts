export * from './catalogue.ts';
export * from './operations.ts';
export * from './prebuilt-apis.ts';
export * from './prebuilt-api.ts';
