import type { TextExportFormat } from '@gleaner/contracts/values';
import type { Command } from 'commander';
import { Fault } from '../../fault.ts';
import type { ServiceFlags } from '../connection/connect.ts';

/** Whether to follow a run, and where to write its results. */
export interface FollowFlags extends ServiceFlags {
  csv?: boolean;
  ndjson?: boolean;
  output?: string;
  quiet?: boolean;
  strict?: boolean;
  /** Print the addresses of a map in place of its record. */
  urls?: boolean;
}

/** Adds the options for following a run. @param what `batch` or `crawl` */
export function withFollowOptions(command: Command, what: string): Command {
  return command
    .optionsGroup('Following:')
    .option('--csv', `write the results as CSV when the ${what} has ended`)
    .option('--ndjson', 'write them as NDJSON, one object per line')
    .option('-o, --output <file>', 'write them to this file instead of standard output')
    .option('--strict', 'exit with 7 when any input failed, not only when all did')
    .option('-q, --quiet', 'no progress');
}

/** The format of the results to write; undefined: none are written. @throws Fault */
export function exportFormatOf({ csv, ndjson, output }: FollowFlags): TextExportFormat | undefined {
  if (csv === true && ndjson === true) throw new Fault('Give one of --csv and --ndjson.');
  if (csv === true) return 'csv';
  if (ndjson === true) return 'ndjson';
  if (output === undefined) return undefined;
  return /\.(ndjson|jsonl)$/i.test(output) ? 'ndjson' : 'csv';
}
