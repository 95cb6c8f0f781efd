import type { Client } from '@gleaner/client';
import { Fault } from '../fault.ts';
import { GROUPS } from './records.ts';

interface Named {
  id: string;
  name: string | null;
}

const PAGE = { limit: 100 };

/** Records that can be given by name, with the list in which a name is looked up. */
const LISTS = {
  parsers: (client: Client): AsyncIterable<Named> => client.parsers.list(PAGE),
  databases: (client: Client): AsyncIterable<Named> => client.databases.list(PAGE),
  crons: (client: Client): AsyncIterable<Named> => client.crons.list(PAGE),
  workflows: (client: Client): AsyncIterable<Named> => client.workflows.list(PAGE),
};

export type NamedGroup = keyof typeof LISTS;

export function hasNames(group: string): group is NamedGroup {
  return Object.hasOwn(LISTS, group);
}

/**
 * The id of a record that a person names: an id stays unchanged, a name is looked up.
 * @throws Fault when no record has the name, or several have it
 */
export async function findId(client: Client, group: NamedGroup, given: string): Promise<string> {
  const { one, prefix } = GROUPS[group];
  if (given.startsWith(prefix)) return given;
  const ids: string[] = [];
  for await (const { id, name } of LISTS[group](client)) if (name === given) ids.push(id);
  const [id, ...others] = ids;
  if (id === undefined) {
    throw new Fault(
      `There is no ${one} named ${JSON.stringify(given)}.`,
      `Its id (${prefix}…) works as well.`,
    );
  }
  if (others.length > 0) {
    throw new Fault(
      `${ids.length} ${one}s are named ${JSON.stringify(given)}: ${ids.join(', ')}.`,
      'Give the id of one.',
    );
  }
  return id;
}
