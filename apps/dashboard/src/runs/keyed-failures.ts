import type { CallOutput } from '../api/call.ts';

export type FailedPage = CallOutput<'getBatchFailures'>['failures'][number] & {
  /** Of a run of a workflow. */
  stage?: string;
};

export interface FailedRow extends FailedPage {
  key: string;
}

/** Gives each failure the key that an address names it by: its page, numbered where the page failed several times. */
export function keyFailures(failures: readonly FailedPage[]): FailedRow[] {
  const seen = new Map<string, number>();
  return failures.map((failure) => {
    const name = failure.stage === undefined ? failure.url : `${failure.stage} ${failure.url}`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return { ...failure, key: count === 1 ? name : `${name} ${count}` };
  });
}
