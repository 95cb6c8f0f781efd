import { GleanerError, type Client } from '@gleaner/client';
import { PAGE_PARSER } from '@gleaner/contracts/values';
import { Fault } from '../../fault.ts';
import { GROUPS } from '../records/records.ts';

/** Groups whose records can be given by name too. */
const NAMED = ['parsers', 'databases', 'crons', 'workflows'] as const;

type NamedGroup = (typeof NAMED)[number];

export function hasNames(group: string): group is NamedGroup {
  return NAMED.some((named) => named === group);
}

/**
 * The id of a record that a person names: an id stays unchanged, a slug or a name is looked up. Of both, the slug counts.
 * `page` is the built-in parser, unless a parser of the account is called so.
 * @throws GleanerError `not found` when no record has the name, as the service answers for an id
 * @throws Fault when several have it
 */
export async function findId(client: Client, group: NamedGroup, given: string): Promise<string> {
  const { one, prefix } = GROUPS[group];
  if (given.startsWith(prefix)) return given;
  const records: AsyncIterable<{ id: string; slug: string | null; name: string }> = client[group].list({
    limit: 100,
    search: given,
  });
  const ids: string[] = [];
  for await (const { id, slug, name } of records) {
    if (slug === given) return id;
    if (name === given) ids.push(id);
  }
  const [id, ...others] = ids;
  if (id === undefined && group === 'parsers' && given === PAGE_PARSER) return given;
  if (id === undefined) {
    throw new GleanerError({
      status: 404,
      code: 'not found',
      detail: `there is no ${one} with the slug or name ${JSON.stringify(given)}`,
      hint: `Its id (${prefix}…) works as well.`,
    });
  }
  if (others.length > 0) {
    throw new Fault(
      `${ids.length} ${one}s are named ${JSON.stringify(given)}: ${ids.join(', ')}.`,
      'Give the id of one.',
    );
  }
  return id;
}
