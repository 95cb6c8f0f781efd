import type { CheckedInput, ResolvedTarget } from '../submission/resolve-target.ts';
import type { Input } from './read-inputs.ts';

/** What the target says to an input, or what was wrong with its line already. */
export function checkInput({ check }: Pick<ResolvedTarget, 'check'>, { value, fault }: Input): CheckedInput {
  return fault === undefined ? check(value) : { fault };
}
