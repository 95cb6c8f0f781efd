export * from './crumbs.ts';
export * from './join-pieces.ts';
export * from './pdf-bytes.ts';
