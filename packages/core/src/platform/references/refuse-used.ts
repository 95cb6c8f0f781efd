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

/** Checks that no other resource uses a parser, database or workflow. @throws AppError in_use with the users */
export function refuseUsed(users: readonly User[]): void {
  if (users.length === 0) return;
  const named = users.slice(0, SHOWN).map(({ kind, id, name }) => `${kind} ${id} (${name})`);
  throw new AppError('in_use', {
    detail: `it is used by ${named.join(', ')}${users.length > SHOWN ? ' and others' : ''}`,
    hint: 'Delete or change the resources that use it. Wait for runs to end, or cancel them.',
  });
}
