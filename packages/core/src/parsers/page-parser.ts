import {
  AppError,
  PAGE_PARSER,
  PAGE_PARSER_FACTS,
  type ParserRecord,
  type ParserSchema,
} from '@gleaner/contracts';

/** What the built-in parser reads. Facts alone, so nothing of it has to match. */
export const PAGE_SCHEMA: ParserSchema = {
  fields: Object.fromEntries(PAGE_PARSER_FACTS.map((page) => [page, { page }])),
};

/** The built-in parser as the target of a task. Work keeps its schema, as a release may change it. */
export const PAGE_TARGET = {
  type: 'schema',
  schema: PAGE_SCHEMA,
  order: PAGE_PARSER_FACTS,
  parserId: PAGE_PARSER,
} as const;

/** The day that brought the parser. */
const MADE_AT = '2026-11-29T00:00:00.000Z';

/** The record of the built-in parser. It has one version, as a release may change what it reads. */
export const PAGE_RECORD: ParserRecord = {
  id: PAGE_PARSER,
  slug: null,
  name: PAGE_PARSER,
  description: 'Built in: any page as Markdown, with its title, dates, author, picture and links.',
  schema: { ...PAGE_SCHEMA },
  version: 1,
  scrape_config: {},
  created_at: MADE_AT,
  updated_at: MADE_AT,
};

/**
 * Refuses what only an account's own parsers have: changes, versions, health, samples and repair.
 * @throws AppError in_use
 */
export function refuseBuiltIn(id: string): void {
  if (id !== PAGE_PARSER) return;
  throw new AppError('in_use', {
    detail: `the parser ${PAGE_PARSER} is built in and every account uses it`,
    hint: `Copy the schema of GET /v1/parsers/${PAGE_PARSER} into a parser of your own.`,
  });
}
