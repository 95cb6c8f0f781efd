import * as operations from '@gleaner/contracts';
import { getCredits, listLedger } from '@gleaner/core';
import { endpoint } from '../endpoint.ts';

export const creditsEndpoints = [
  endpoint(operations.getCredits, getCredits),
  endpoint(operations.listLedger, listLedger),
];
