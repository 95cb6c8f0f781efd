import { ROUTES, UNFINISHED_STATES, VERSION } from './src/contracts.ts';

/** The module that loads all contracts. */
export const CONTRACTS_MODULE: RegExp = /\/packages\/client\/src\/contracts\.ts$/;

/** That module with its values as constants, for bundles and for the package: they hold no schema. */
export function contractsAsConstants(): string {
  return `import type { Routes } from './route.ts';

export const ROUTES: Routes = ${JSON.stringify(ROUTES)};

export const VERSION: string = ${JSON.stringify(VERSION)};

export const UNFINISHED_STATES: readonly string[] = ${JSON.stringify(UNFINISHED_STATES)};
`;
}
