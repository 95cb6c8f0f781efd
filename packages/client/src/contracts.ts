import * as contracts from '@gleaner/contracts';
import type { Operation } from '@gleaner/contracts';
import manifest from '../package.json' with { type: 'json' };
import { listRoutes } from './list-routes.ts';
import type { Routes } from './route.ts';

// What the client has of the contracts. Bundles and the package get the values instead (constants.ts), without schemas.

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'id' in value && 'path' in value && 'answer' in value;
}

/** Every operation of the table; those of the prebuilt APIs stand by themselves, as `API_OPERATIONS`. */
export const OPERATIONS: readonly Operation[] = Object.values<unknown>(contracts).filter(isOperation);

/** Where every operation is. */
export const ROUTES: Routes = listRoutes(OPERATIONS);

/** Version of this client. */
export const VERSION: string = manifest.version;

/** States of runs that have not ended. */
export const UNFINISHED_STATES: readonly string[] = contracts.UNFINISHED_STATES;
