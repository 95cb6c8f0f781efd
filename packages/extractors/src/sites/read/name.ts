import type { InputFault, SiteInput } from '../types.ts';
import { asFilled } from './value.ts';

/** Dots alone are a step in a path: the address of such a user would be another page. */
export function checkUsername(input: SiteInput): InputFault | undefined {
  return /^@?\.+$/.test(asFilled(input['username'])?.trim() ?? '')
    ? { field: 'username', detail: 'is no user name: it has only dots' }
    : undefined;
}
