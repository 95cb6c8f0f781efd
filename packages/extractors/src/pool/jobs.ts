import { checkSchema, type SchemaCheck } from '../check-schema.ts';
import { extract } from '../engine/extract.ts';
import type { Extraction } from '../extraction.ts';
import { RESULT_LIMITS } from '../limits.ts';
import { outlineInThread, repairInThread, suggestInThread } from './learn.ts';
import type { CompiledParser } from '../engine/types.ts';
import { noteValues } from '../output/note-values.ts';
import { createParserCache } from './parser-cache.ts';
import { TOO_DEEP, type ThreadAnswer, type Job, type JobKind } from './protocol.ts';
import { nextSiteStep } from './site-step.ts';

type Handlers = { [K in JobKind]: (job: Extract<Job, { kind: K }>) => ThreadAnswer | Promise<ThreadAnswer> };

/** The process copies the text twice, so its length is checked here. @throws RangeError when it is too long */
function jsonOf(value: unknown): string {
  const json = JSON.stringify(value);
  if (json !== undefined && json.length > RESULT_LIMITS.jsonText)
    throw new RangeError(
      `the result has more than ${RESULT_LIMITS.jsonText.toLocaleString('en')} characters as JSON`,
    );
  return json;
}

function result(value: unknown): Extract<ThreadAnswer, { state: 'result' }> {
  return { state: 'result', json: jsonOf(value) };
}

/** The extraction without its data, for a result that is too long as JSON. */
function withoutData({ fields }: Extraction, { message }: RangeError): Extraction {
  return { ok: false, failure: { code: 'extraction_failed', detail: message, fields: [] }, fields };
}

/** A thread's stack is larger than the host's, so values that could be sent are rarely too deep. */
function checkDeep(schema: unknown): SchemaCheck {
  try {
    return checkSchema(schema);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { ok: false, faults: [{ path: '', reason: TOO_DEEP }] };
  }
}

/** A parser's first pages get a fingerprint of their structure, then one in so many: it costs as much as all notes. */
const FIRST_STRUCTURES = 4;
const PAGES_PER_STRUCTURE = 8;

/** Creates the handlers of each kind of job, with the caches of one thread. */
export function createJobHandlers(): Handlers {
  const parsers = createParserCache();
  const pagesOf = new WeakMap<CompiledParser, number>();
  const isStructureDue = (parser: CompiledParser): boolean => {
    const pages = pagesOf.get(parser) ?? 0;
    pagesOf.set(parser, pages + 1);
    return pages < FIRST_STRUCTURES || pages % PAGES_PER_STRUCTURE === 0;
  };
  return {
    extract({ parserKey, schema, page, explain, partial, dataAsText, notesValues, returnsBody }) {
      const parser = parsers.get(parserKey, schema);
      if (parser === undefined) return { state: 'schema-missing' };
      const extraction = extract(parser, page, {
        explain,
        partial,
        structure: notesValues && isStructureDue(parser),
      });
      const isReturned = returnsBody === 'always' || (returnsBody === 'failed' && !extraction.ok);
      const body = isReturned && typeof page.body !== 'string' ? { body: page.body } : {};
      try {
        if (!dataAsText || extraction.data === undefined) return { ...result(extraction), ...body };
        const { data, ...rest } = extraction;
        if (notesValues) rest.fields = noteValues(extraction);
        return { state: 'result', json: jsonOf(rest), data: jsonOf(data), ...body };
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        return { ...result(withoutData(extraction, error)), ...body };
      }
    },
    check: ({ schema }) => result(checkDeep(schema)),
    async suggest({ pages }) {
      return result(await suggestInThread(pages));
    },
    async outline({ page, maxCharacters }) {
      return result(await outlineInThread(page, maxCharacters));
    },
    async repair({ schema, pages }) {
      return result(await repairInThread(schema, pages));
    },
    async site({ kind: _kind, ...work }) {
      return result(await nextSiteStep(work));
    },
  };
}
