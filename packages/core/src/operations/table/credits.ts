import * as operations from '@gleaner/contracts';
import { getCredits } from '../../accounts/credits/get-credits.ts';
import { listLedger } from '../../accounts/credits/list-ledger.ts';
import { pair } from '../pair.ts';

export const creditsEntries = [
  pair(operations.getCredits, getCredits),
  pair(operations.listLedger, listLedger),
];
