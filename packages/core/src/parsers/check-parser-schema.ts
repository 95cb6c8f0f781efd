import { invalid } from '../platform/invalid-request.ts';
import { type ParserSchema } from '@gleaner/contracts';
import { describeFault } from '@gleaner/extractors';
import type { Caller, ExtractionPool } from '@gleaner/threads';
import type { Context, Services } from '../platform/context.ts';

/** Services with the threads that run and check parsers. */
export interface ExtractionServices extends Services {
  pool: ExtractionPool;
}

/** Who asks the threads for work. */
export function callerOf({ accountId, signal }: Pick<Context, 'accountId' | 'signal'>): Caller {
  return { owner: accountId, signal };
}

/** The most faults in one error. */
const MAX_LISTED = 20;

/**
 * Checks a whole schema: structure, selectors, patterns and limits. Runs in the killable threads, because a hostile
 * selector can be slow to compile.
 * @throws AppError invalid_request with the path of the first fault and a list of the others
 */
export async function checkParserSchema(
  ctx: Context<ExtractionServices>,
  input: unknown,
): Promise<ParserSchema> {
  const result = await ctx.services.pool.check(input, callerOf(ctx));
  if (result.ok) return result.schema;
  const [first] = result.faults;
  throw invalid(
    first === undefined || first.path === '' ? 'schema' : `schema.${first.path}`,
    result.faults.slice(0, MAX_LISTED).map(describeFault).join('; '),
    'The schema language is at GET /v1/schemas/parser.',
  );
}
