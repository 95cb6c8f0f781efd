export * from './issue-text.ts';
export * from './nearest-name.ts';
export * from './storable.ts';
export * from './wildcards.ts';
