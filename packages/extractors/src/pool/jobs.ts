import { checkSchema } from '../check-schema.ts';
import { extract } from '../engine/extract.ts';
import { createParserCache } from './parser-cache.ts';
import type { Answer, Job, JobKind } from './protocol.ts';
import { nextSiteStep } from './site-step.ts';

type Handlers = { [K in JobKind]: (job: Extract<Job, { kind: K }>) => Answer | Promise<Answer> };

const result = (value: unknown): Answer => ({ state: 'result', json: JSON.stringify(value) });

/** The table of job kinds, with the caches of one thread. */
export const createJobHandlers = (): Handlers => {
  const parsers = createParserCache();
  return {
    extract({ parserKey, schema, page, explain, dataAsText }) {
      const parser = parsers.get(parserKey, schema);
      if (parser === undefined) return { state: 'schema-missing' };
      const extraction = extract(parser, page, { explain });
      if (!dataAsText || !extraction.ok) return result(extraction);
      const { data, ...rest } = extraction;
      return { state: 'result', json: JSON.stringify(rest), data: JSON.stringify(data) };
    },
    check: ({ schema }) => result(checkSchema(schema)),
    async site({ kind: _kind, ...work }) {
      return result(await nextSiteStep(work));
    },
  };
};
