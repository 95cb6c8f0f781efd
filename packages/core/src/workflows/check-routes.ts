import { AppError, type CrawlRoute, type ParserSchema } from '@gleaner/contracts';
import type { Caller, ExtractionPool } from '@gleaner/extractors/pool';
import { checkParserSchema } from '../parsers/check-parser-schema.ts';
import { fieldOf, type StagePart } from './stage-parts.ts';

/** Checks a schema that is at a field. @throws AppError invalid_request with the exact field */
async function checkSchemaAt(field: string, check: () => Promise<ParserSchema>): Promise<ParserSchema> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof AppError) || error.options.field === undefined) throw error;
    const within = error.options.field.replace(/^schema/, '');
    throw new AppError(error.code, { ...error.options, field: `${field}${within}` });
  }
}

/**
 * Checks the schemas of routes that are not saved.
 * @param place of the stage; empty for the body of a call
 * @returns the routes with their schemas as they are stored
 * @throws AppError invalid_request with the exact field
 */
export async function checkRoutes(
  pool: ExtractionPool,
  given: readonly CrawlRoute[],
  place: Pick<StagePart, 'at'>,
  caller: Caller,
): Promise<CrawlRoute[]> {
  const routes: CrawlRoute[] = [];
  for (const [index, route] of given.entries()) {
    const { schema } = route;
    if (schema === undefined) {
      routes.push(route);
      continue;
    }
    const field = fieldOf(place, `routes[${index}].schema`);
    const checked = await checkSchemaAt(field, () => checkParserSchema(pool, schema, caller));
    routes.push({ ...route, schema: { ...checked } });
  }
  return routes;
}
