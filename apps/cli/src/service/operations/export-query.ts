import type { ExportFormat } from '@gleaner/contracts/values';
import { Fault } from '../../fault.ts';

export interface ExportFlags {
  format?: ExportFormat;
  gzip?: boolean;
  keepFormulas?: boolean;
  output?: string;
}

/**
 * The query of an export.
 * @param isTerminal whether standard output is one
 * @throws Fault for options that exclude each other, and for binary output to a terminal
 */
export function exportQuery(
  { format, gzip, keepFormulas, output }: ExportFlags,
  isTerminal = process.stdout.isTTY,
): { format?: ExportFormat | undefined; gzip?: boolean | undefined; formulas?: 'keep' | undefined } {
  const isCompressed = format === 'parquet' || format === 'xlsx';
  if (isCompressed && gzip === true) {
    throw new Fault(`Leave out --gzip: ${format} is compressed already.`);
  }
  if (format !== 'csv' && keepFormulas === true) throw new Fault('--keep-formulas goes with --format csv.');
  const isBinary = isCompressed || gzip === true;
  if (isBinary && isTerminal && (output === undefined || output === '-')) {
    throw new Fault('The export is binary: write it to a file with --output.');
  }
  return { format, gzip, formulas: keepFormulas === true ? 'keep' : undefined };
}
