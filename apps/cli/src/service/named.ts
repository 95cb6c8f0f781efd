import type { Client } from '@gleaner/client';
import { Fault } from '../fault.ts';

interface Named {
  id: string;
  name: string | null;
}

/**
 * The id of a resource that a person names: an id stays unchanged, a name is looked up.
 * @param prefix that its ids have, such as `prs_`
 * @throws Fault when no record has the name, or several have it
 */
async function findId(
  given: string,
  what: string,
  prefix: string,
  records: AsyncIterable<Named>,
): Promise<string> {
  if (given.startsWith(prefix)) return given;
  const ids: string[] = [];
  for await (const { id, name } of records) if (name === given) ids.push(id);
  const [id, ...others] = ids;
  if (id === undefined) {
    throw new Fault(
      `There is no ${what} named ${JSON.stringify(given)}.`,
      `Its id (${prefix}…) works as well.`,
    );
  }
  if (others.length > 0) {
    throw new Fault(
      `${ids.length} ${what}s are named ${JSON.stringify(given)}: ${ids.join(', ')}.`,
      'Give the id of one.',
    );
  }
  return id;
}

const PAGE = { limit: 100 };

export function findParserId(client: Client, given: string): Promise<string> {
  return findId(given, 'parser', 'prs_', client.parsers.list(PAGE));
}

export function findDatabaseId(client: Client, given: string): Promise<string> {
  return findId(given, 'database', 'db_', client.databases.list(PAGE));
}

export function findCronId(client: Client, given: string): Promise<string> {
  return findId(given, 'cron', 'crn_', client.crons.list(PAGE));
}

export function findWorkflowId(client: Client, given: string): Promise<string> {
  return findId(given, 'workflow', 'wfl_', client.workflows.list(PAGE));
}
