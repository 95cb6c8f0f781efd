import type { DryRun } from '@gleaner/client';
import { EXIT, ExitCode } from '../exit-codes.ts';
import { note, printFields, printJson } from '../terminal/output.ts';

/** Prints what a submission would do. @throws ExitCode when the submission itself would be refused */
export function printDryRun(
  dry: DryRun,
  { json, skipInvalid }: { json?: boolean; skipInvalid?: boolean },
): void {
  if (json === true) printJson(dry);
  else printDryFields(dry);
  if (dry.refused_count === 0 || (skipInvalid === true && dry.inputs > 0)) return;
  note('Without --dry-run this would be refused: correct or remove these inputs.');
  throw new ExitCode(EXIT.failed);
}

function printDryFields(dry: DryRun): void {
  const { inputs, duplicates, refused_count, credits, rows } = dry;
  printFields({
    inputs,
    duplicates,
    refused: refused_count,
    'credits (least)': credits.least,
    'credits (expected)': credits.expected,
    'credits (most)': credits.most,
    ...(rows === null ? {} : { 'rows (most)': rows.most }),
  });
  noteRefused(dry.refused);
}

/** Names invalid inputs on standard error. */
export function noteRefused(refused: DryRun['refused']): void {
  for (const { index, input, detail } of refused) note(`input ${index + 1}: ${input}: ${detail}`);
}
