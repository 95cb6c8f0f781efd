import * as operations from '@gleaner/contracts';
import { proposeParserRepair } from '../../quarantine/propose-repair.ts';
import { getParserHealth } from '../../parsers/health/read-health.ts';
import { resetParserHealth } from '../../parsers/health/reset-health.ts';
import {
  discardQuarantinedRows,
  listQuarantinedRows,
  releaseQuarantinedRows,
} from '../../quarantine/change-rows.ts';
import { pair } from '../pair.ts';

export const healthEntries = [
  pair(operations.getParserHealth, getParserHealth),
  pair(operations.resetParserHealth, resetParserHealth),
  pair(operations.proposeParserRepair, proposeParserRepair),
  pair(operations.listQuarantinedRows, listQuarantinedRows),
  pair(operations.releaseQuarantinedRows, releaseQuarantinedRows),
  pair(operations.discardQuarantinedRows, discardQuarantinedRows),
];
