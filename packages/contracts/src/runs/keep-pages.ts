import { z } from 'zod';

/** Pages that a run keeps whatever failed: more say nothing new. */
export const MAX_FAILED_PAGES = 50;

export const keepPagesSchema = z
  .string()
  .regex(/^(none|failed|all|sample:[1-9]\d{0,5})$/, 'must be none, failed, sample:N or all')
  .describe(
    `Pages kept for 7 days, within the account’s quota: none; failed (default): where the parser failed, about ${MAX_FAILED_PAGES} a run; sample:N: and every N-th input; all.`,
  );

export type KeepPages = z.output<typeof keepPagesSchema>;

/** Whether the page of a task is kept. @param seq place in the input, from 0 */
export function keepsPage(keep: KeepPages, seq: number, ok: boolean): boolean {
  if (keep === 'none') return false;
  if (keep === 'all') return true;
  if (!ok) return true;
  return keep.startsWith('sample:') && seq % Number(keep.slice('sample:'.length)) === 0;
}
