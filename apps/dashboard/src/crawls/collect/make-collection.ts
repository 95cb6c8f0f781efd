import { call, type CallOutput } from '../../api/call.ts';
import { makeTogether } from '../../api/make-together.ts';
import { Refusal } from '../../api/problem.ts';
import { nameApart } from '../../studio/saving.ts';
import type { Draft } from '../../studio/schema/draft.ts';
import { madeSink } from '../../targets/proposed-sink.ts';
import { sinkOfChoice, type SinkChoice } from '../../targets/sink.ts';
import type { Often } from '../../watch/watch-draft.ts';
import { readAddresses } from './addresses.ts';
import { isGone } from './read-example.ts';

type Crawl = CallOutput<'getCrawl'>;

/** What the form of a collection holds. */
export interface CollectDraft {
  crawl: Crawl;
  pattern: string;
  name: string;
  /** The parser of the pages, or the fields that one is made of. */
  parser: { id: string } | { schema: Draft };
  often: Often;
  zone: string;
  sink: SinkChoice;
  /** Where its first rows come from: the pages that the crawl kept, a reading of all, or the first firing. */
  first: 'kept' | 'read' | 'later';
}

async function makeParser({ crawl, name, parser }: CollectDraft): Promise<{ id: string; isMade: boolean }> {
  if ('id' in parser) return { id: parser.id, isMade: false };
  const { parsers } = await call('listParsers', { query: { search: name, limit: 50 } });
  const known = parsers.map((one) => one.name);
  const { id } = await call('createParser', {
    body: { name: nameApart(name, known), schema: parser.schema, scrape_config: crawl.scrape_config },
  });
  return { id, isMade: true };
}

/**
 * Makes a collection of a kind of pages: parser, cron with a table that keeps its changes, and its first rows. When a step is
 * refused, what was made before is deleted. @returns the cron
 */
export async function makeCollection(draft: CollectDraft): Promise<string> {
  const { crawl, pattern, name, first } = draft;
  const inputs = await readAddresses(crawl.id, pattern);
  if (inputs.length === 0) throw new Refusal('The crawl has no pages of this kind that could be read.');
  return makeTogether(async (undo) => {
    const parser = await makeParser(draft);
    if (parser.isMade) undo(() => call('deleteParser', { params: { id: parser.id } }));
    const target = { type: 'parser' as const, parserId: parser.id };
    const rows = sinkOfChoice(await madeSink(draft.sink));
    if (rows === undefined) throw new Refusal('Choose a database and a table.');
    const sink = { ...rows, key: ['_url'], history: true };
    const cron = await call('createCron', {
      body: { name, description: '', schedule: draft.often, timezone: draft.zone, target, inputs, sink },
    });
    if (!('id' in cron)) throw new Error('the cron was not made');
    undo(() => call('deleteCron', { params: { id: cron.id } }));
    if (first === 'read') await call('triggerCron', { params: { id: cron.id } });
    if (first === 'kept') {
      // Pages that expire at this moment are read by the first firing.
      const parsed = call('parsePages', { body: { run: crawl.id, match: pattern, target, sink, name } });
      await parsed.catch((error: unknown) => (isGone(error) ? undefined : Promise.reject(error)));
    }
    return cron.id;
  });
}
