import type { InputFault, SiteInput } from '../types.ts';
import { filledAt } from './value.ts';

/** A name of only dots is a step in a path, so its address would lead to another page. */
export function checkUsername(input: SiteInput): InputFault | undefined {
  return /^@?\.+$/.test(filledAt(input, 'username')?.trim() ?? '')
    ? { field: 'username', detail: 'is not a user name: it has only dots' }
    : undefined;
}
