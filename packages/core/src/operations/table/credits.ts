import * as operations from '@gleaner/contracts';
import { getCredits } from '../../credits/get-credits.ts';
import { listLedger } from '../../credits/list-ledger.ts';
import { pair } from '../pair.ts';

export const creditsEntries = [
  pair(operations.getCredits, getCredits),
  pair(operations.listLedger, listLedger),
];
