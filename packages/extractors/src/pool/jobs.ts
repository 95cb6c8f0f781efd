import { AppError, toStoredError, type ApiId, type ParserSchema, type StoredError } from '@gleaner/contracts';
import { checkSchema, compileParser } from '../check-schema.ts';
import { extract } from '../engine/extract.ts';
import type { CompiledParser } from '../engine/types.ts';
import type { Page } from '../page.ts';
import type { SiteInput, SiteResponse, SitesConfig, SiteStep } from '../sites/types.ts';

/** What a thread is asked to do; the kinds are the keys of the table below. */
export type Job =
  | { kind: 'extract'; parserKey: string; schema: ParserSchema | undefined; page: Page; explain: boolean }
  | { kind: 'extractJson'; parserKey: string; schema: ParserSchema | undefined; page: Page; explain: boolean }
  | { kind: 'check'; schema: unknown }
  | ({ kind: 'site' } & SiteWork);

/** One step of a prebuilt API's plan: what it was asked and what was fetched so far. */
export interface SiteWork {
  id: ApiId;
  input: SiteInput;
  config: SitesConfig;
  responses: readonly SiteResponse[];
}

/** What a prebuilt API wants next; data come as JSON text. */
export type SiteStepResult =
  | Extract<SiteStep, { kind: 'fetch' }>
  | { kind: 'answer'; json: string }
  | { kind: 'failure'; error: StoredError };

export type JobKind = Job['kind'];

/** The thread was not given the schema and no longer has it. */
export const SCHEMA_MISSING = 'schema missing';

const CACHED_PARSERS = 200;

/** Least recently used first. */
const createParserCache = (): ((
  key: string,
  schema: ParserSchema | undefined,
) => CompiledParser | undefined) => {
  const parsers = new Map<string, CompiledParser>();
  return (key, schema) => {
    let parser = parsers.get(key);
    if (parser === undefined && schema === undefined) return undefined;
    parser ??= schema === undefined ? undefined : compileParser(schema);
    if (parser === undefined) return undefined;
    parsers.delete(key);
    parsers.set(key, parser);
    const [oldest] = parsers.keys();
    if (parsers.size > CACHED_PARSERS && oldest !== undefined) parsers.delete(oldest);
    return parser;
  };
};

/** Loaded by the first thread that needs it: most do not. */
const nextSiteStep = async ({ id, input, config, responses }: SiteWork): Promise<SiteStepResult> => {
  const { nextStep, siteError } = await import('../sites/index.ts');
  const step = nextStep(id, input, config, responses);
  if (step.kind === 'fetch') return step;
  if (step.outcome.outcome === 'ok') return { kind: 'answer', json: JSON.stringify(step.outcome.data) };
  const error = siteError(step.outcome) ?? new AppError('internal');
  return { kind: 'failure', error: toStoredError(error) };
};

type Handlers = { [K in JobKind]: (job: Extract<Job, { kind: K }>) => unknown };

/** The table of job kinds, with the caches of one thread. */
export const createJobHandlers = (): Handlers => {
  const parserFor = createParserCache();
  return {
    extract({ parserKey, schema, page, explain }) {
      const parser = parserFor(parserKey, schema);
      return parser === undefined ? SCHEMA_MISSING : extract(parser, page, { explain });
    },
    extractJson({ parserKey, schema, page, explain }) {
      const parser = parserFor(parserKey, schema);
      if (parser === undefined) return SCHEMA_MISSING;
      const extraction = extract(parser, page, { explain });
      return extraction.ok ? { ...extraction, data: JSON.stringify(extraction.data) } : extraction;
    },
    check: ({ schema }) => checkSchema(schema),
    site: nextSiteStep,
  };
};
