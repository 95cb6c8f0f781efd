import { PAGE_WORDS, SLUG } from '@gleaner/contracts/values';
import type { QueryClient } from '@tanstack/react-query';
import { operationQuery } from '../api/call.ts';
import { toProblem } from '../api/problem.ts';

interface Input {
  params: { id: string };
}

/** How a record is read whose id or slug stands in an address, by the word before it. */
const READS: Readonly<Record<string, (client: QueryClient, input: Input) => Promise<{ id: string }>>> = {
  parsers: (client, input) => client.ensureQueryData(operationQuery('getParser', input)),
  databases: (client, input) => client.ensureQueryData(operationQuery('getDatabase', input)),
  crons: (client, input) => client.ensureQueryData(operationQuery('getCron', input)),
  workflows: (client, input) => client.ensureQueryData(operationQuery('getWorkflow', input)),
};

/** The address with the id in place of a slug; undefined when it has none, or one that no record has. */
export async function addressById(client: QueryClient, address: string): Promise<string | undefined> {
  const [, kind = '', slug = ''] = /^\/([^/]+)\/([^/?#]+)/.exec(address) ?? [];
  const read = READS[kind];
  if (read === undefined || PAGE_WORDS.includes(slug) || !SLUG.test(slug)) return undefined;
  try {
    const { id } = await read(client, { params: { id: slug } });
    return address.replace(`/${kind}/${slug}`, `/${kind}/${id}`);
  } catch (error) {
    // The page itself says that it is absent.
    if (toProblem(error).status === 404) return undefined;
    throw error;
  }
}
