import type { resetParserHealth as operation } from '@gleaner/contracts';
import { readParser } from '../get-parser.ts';
import type { Perform } from '../../platform/perform.ts';

/** Workers stop judging by what is forgotten within a second; the next pages start new statistics. */
export const resetParserHealth: Perform<typeof operation> = async (ctx, { params, body }) => {
  const { orm, sql } = ctx.services.db;
  const parser = await readParser(orm, ctx.accountId, params.id);
  const { count } = await sql`
    DELETE FROM gleaner.parser_health
    WHERE parser_id = ${parser.id} AND host = ${body.host}
      ${body.version === undefined ? sql`` : sql`AND version = ${body.version}`}`;
  return { reset: count };
};
