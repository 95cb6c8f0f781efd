import { EXPORT_FORMATS, type ExportFormat } from '@gleaner/contracts';
import { Option, type Command } from 'commander';
import { Fault } from '../fault.ts';

export interface ExportFlags {
  format: ExportFormat;
  gzip?: boolean;
  keepFormulas?: boolean;
  output?: string;
}

/** Adds the options of an export. @param what what it holds, for the help */
export function withExport(command: Command, what: 'results' | 'rows'): Command {
  return command
    .addOption(new Option('--format <format>', `of the ${what}`).choices(EXPORT_FORMATS).default('csv'))
    .option('--gzip', 'compress it; parquet is compressed already')
    .option('--keep-formulas', 'csv: no apostrophe before cells that a spreadsheet would run as formulas')
    .option('-o, --output <file>', 'write to this file instead of standard output');
}

/**
 * The query of an export.
 * @param isTerminal whether standard output is one
 * @throws Fault for options that exclude each other, and for binary output to a terminal
 */
export function exportQuery(
  { format, gzip, keepFormulas, output }: ExportFlags,
  isTerminal = process.stdout.isTTY,
): { format: ExportFormat; gzip?: true; formulas?: 'keep' } {
  if (format === 'parquet' && gzip === true) {
    throw new Fault('Leave out --gzip: parquet is compressed already.');
  }
  if (format !== 'csv' && keepFormulas === true) throw new Fault('--keep-formulas goes with --format csv.');
  const isBinary = format === 'parquet' || gzip === true;
  if (isBinary && isTerminal && (output === undefined || output === '-')) {
    throw new Fault('The export is binary: write it to a file with --output.');
  }
  return {
    format,
    ...(gzip === true ? { gzip } : {}),
    ...(keepFormulas === true ? { formulas: 'keep' } : {}),
  };
}
