export * from './egress-allow.ts';
export * from './egress-guard.ts';
export * from './public-address.ts';
export { createHostResolver, type ResolveHost } from './resolve-host.ts';
