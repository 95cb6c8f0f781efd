import { AppError } from '@gleaner/contracts';

/** A row of `engine.list_users`. */
export interface User {
  kind: string;
  id: string;
  name: string;
}

const SHOWN = 5;

// The columns of engine.list_users.
export function asUsers(rows: unknown): User[] {
  return rows as User[];
}

/** Refuses to delete a parser, database or workflow that others use. @throws AppError in_use, naming the users */
export function refuseUsed(users: readonly User[]): void {
  if (users.length === 0) return;
  const named = users.slice(0, SHOWN).map(({ kind, id, name }) => `${kind} ${id} (${name})`);
  throw new AppError('in_use', {
    detail: `it is used by ${named.join(', ')}${users.length > SHOWN ? ' and others' : ''}`,
    hint: 'Delete or change what uses it; wait for runs to end, or cancel them.',
  });
}
