import type { DryRun } from '@gleaner/client';
import { EXIT, ExitCode } from '../../exit-codes.ts';
import { note, printFields, printJson } from '../../terminal/output.ts';
import { pick } from './columns.ts';

export function isDryRun(answer: object): answer is DryRun {
  return 'dry_run' in answer && 'refused_count' in answer;
}

/** Prints what a submission would do. @throws ExitCode when the submission itself would be refused */
export function printDryRun(
  dry: DryRun,
  { json, skipInvalid }: { json?: boolean; skipInvalid?: boolean },
): void {
  if (json === true) printJson(dry);
  else {
    const credits =
      'credits_(least)=credits.least credits_(expected)=credits.expected credits_(most)=credits.most';
    printFields(pick(dry, `inputs duplicates refused=refused_count ${credits} rows_(most)=rows.most?`));
    noteRefused(dry.refused);
  }
  if (dry.inputs > 0 && (dry.refused_count === 0 || skipInvalid === true)) return;
  const reason = dry.inputs === 0 ? 'it has no inputs' : 'correct or remove these inputs';
  note(`Without --dry-run this would be refused: ${reason}.`);
  throw new ExitCode(EXIT.failed);
}

/** Names invalid inputs on standard error. */
export function noteRefused(refused: DryRun['refused']): void {
  for (const { index, input, detail } of refused) note(`input ${index + 1}: ${input}: ${detail}`);
}
