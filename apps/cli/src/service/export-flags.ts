import { EXPORT_FORMATS, type ExportFormat } from '@gleaner/contracts/values';
import { Option, type Command } from 'commander';
import { Fault } from '../fault.ts';

export interface ExportFlags<F extends ExportFormat = ExportFormat> {
  format: F;
  gzip?: boolean;
  keepFormulas?: boolean;
  output?: string;
}

/** Adds the options of an export. @param what what it holds, for the help */
export function withExport(
  command: Command,
  what: 'results' | 'rows',
  formats: readonly ExportFormat[] = EXPORT_FORMATS,
): Command {
  const format = new Option('--format <format>', `of the ${what}`).choices(formats).default('csv');
  return command
    .addOption(format)
    .option('--gzip', 'compress it, but for parquet, which is compressed')
    .option('--keep-formulas', 'csv: no apostrophe before cells that a spreadsheet would run as formulas')
    .option('-o, --output <file>', 'write to this file instead of standard output');
}

/**
 * The query of an export.
 * @param isTerminal whether standard output is one
 * @throws Fault for options that exclude each other, and for binary output to a terminal
 */
export function exportQuery<F extends ExportFormat>(
  { format, gzip, keepFormulas, output }: ExportFlags<F>,
  isTerminal = process.stdout.isTTY,
): { format: F; gzip?: boolean | undefined; formulas?: 'keep' | undefined } {
  if (format === 'parquet' && gzip === true) {
    throw new Fault('Leave out --gzip: parquet is compressed already.');
  }
  if (format !== 'csv' && keepFormulas === true) throw new Fault('--keep-formulas goes with --format csv.');
  const isBinary = format === 'parquet' || gzip === true;
  if (isBinary && isTerminal && (output === undefined || output === '-')) {
    throw new Fault('The export is binary: write it to a file with --output.');
  }
  return { format, gzip, formulas: keepFormulas === true ? 'keep' : undefined };
}
