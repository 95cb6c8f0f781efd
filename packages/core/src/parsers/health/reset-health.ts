import type { OperationInput, OperationOutput, resetParserHealth as operation } from '@gleaner/contracts';
import { readParser } from '../get-parser.ts';
import type { Context } from '../../platform/context.ts';

/** Workers stop judging by what is forgotten within a second; the next pages start new statistics. */
export async function resetParserHealth(
  ctx: Context,
  { params, body }: OperationInput<typeof operation>,
): Promise<OperationOutput<typeof operation>> {
  const { orm, sql } = ctx.services.db;
  const parser = await readParser(orm, ctx.accountId, params.id);
  const { count } = await sql`
    DELETE FROM gleaner.parser_health
    WHERE parser_id = ${parser.id} AND host = ${body.host}
      ${body.version === undefined ? sql`` : sql`AND version = ${body.version}`}`;
  return { reset: count };
}
