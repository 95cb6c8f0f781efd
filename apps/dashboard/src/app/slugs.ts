import { PAGE_WORDS, SLUG } from '@gleaner/contracts/values';
import type { QueryClient } from '@tanstack/react-query';
import { operationQuery } from '../api/call.ts';
import { toProblem } from '../api/problem.ts';

/** What reads the record whose id or slug stands in an address, by the word before it. */
const READS: Readonly<Record<string, 'getParser' | 'getDatabase' | 'getCron' | 'getWorkflow'>> = {
  parsers: 'getParser',
  databases: 'getDatabase',
  crons: 'getCron',
  workflows: 'getWorkflow',
};

/** The address with the id in place of a slug; undefined when it has none, or one that no record has. */
export async function addressById(client: QueryClient, address: string): Promise<string | undefined> {
  const [, kind = '', slug = ''] = /^\/([^/]+)\/([^/?#]+)/.exec(address) ?? [];
  const read = READS[kind];
  if (read === undefined || PAGE_WORDS.includes(slug) || !SLUG.test(slug)) return undefined;
  try {
    const { id } = await client.ensureQueryData(operationQuery(read, { params: { id: slug } }));
    return address.replace(`/${kind}/${slug}`, `/${kind}/${id}`);
  } catch (error) {
    // The page itself says that it is absent.
    if (toProblem(error).status === 404) return undefined;
    throw error;
  }
}
