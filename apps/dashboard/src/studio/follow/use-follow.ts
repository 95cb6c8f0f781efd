import { useRef } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { call, useChange } from '../../api/call.ts';
import { Refusal } from '../../api/problem.ts';
import { madeSink } from '../../targets/proposed-sink.ts';
import { sinkOfChoice, tableNameOf, type SinkChoice } from '../../targets/sink.ts';
import type { Stage } from '../../workflows/stages.ts';
import type { Draft } from '../schema/draft.ts';
import { nameApart, type ParserRecord } from '../saving.ts';

/** List pages that one run reads at most, unless somebody says otherwise in the workflow. */
const MOST_LISTS = 100;

/** What a person chose to follow from a list. */
export interface Followed {
  record: ParserRecord;
  /** The path to the next page, or the selector that a new field of the parser reads it with. */
  next?: { path: string } | { selector: string } | undefined;
  /** The path to the links of the details, and the first of them. */
  details?: { path: string; url: string } | undefined;
  /** Where the rows of the last stage go. */
  sink: SinkChoice | undefined;
}

/** The name of the field that leads to the next page. */
const NEXT_FIELD = 'next_page';

/** What the engine made or checked is a schema. */
function savedSchema(schema: object): Draft {
  return schema as Draft;
}

/** The path to the next page, which the parser's next version reads where it has no field for it yet. */
async function pathToNext({ record, next }: Followed): Promise<string | undefined> {
  if (next === undefined || 'path' in next) return next?.path;
  const schema = savedSchema(record.schema);
  const { fields } = schema;
  const name = nameApart(NEXT_FIELD, Object.keys(fields)).replaceAll(' ', '_');
  const added: Draft['fields'] = { ...fields, [name]: { css: `${next.selector}@href`, type: 'url' } };
  await call('updateParser', {
    params: { id: record.id },
    body: { name: record.name, schema: { ...schema, fields: added }, scrape_config: record.scrape_config },
  });
  return `$.${name}`;
}

/** A parser of the fields that the engine proposes for the first of the linked pages. */
async function makeDetails({ record }: Followed, url: string): Promise<string> {
  const { scrape_config: config } = record;
  const body = { pages: [{ url }], scrape_config: config };
  const { schema } = await call('suggestParser', { body });
  if (schema === null)
    throw new Refusal(`Nothing on ${url} repeats or has a name, so there is no field to propose.`);
  const wanted = `${record.name}, details`;
  const { parsers } = await call('listParsers', { query: { search: wanted, limit: 50 } });
  const name = nameApart(
    wanted,
    parsers.map((one) => one.name),
  );
  const { id } = await call('createParser', {
    body: { name, schema: { ...savedSchema(schema) }, scrape_config: config },
  });
  return id;
}

/** Makes what follows a list: a field for its next page, a parser for its details, and the workflow of both. */
export function useFollow() {
  const navigate = useNavigate();
  // What was made is not made again when a later call is refused.
  const made = useRef<{ next?: string | undefined; details?: string }>({});
  return useChange(
    async (followed: Followed) => {
      const { record, next, details, sink } = followed;
      if (next !== undefined) made.current.next ??= await pathToNext(followed);
      if (details !== undefined) made.current.details ??= await makeDetails(followed, details.url);
      const place = sink && (await madeSink(sink));
      const target = { type: 'parser' as const, parserId: record.id };
      const lists: Stage = {
        name: 'list',
        target,
        ...(next === undefined
          ? {}
          : { from: { stage: 'list', path: made.current.next ?? '' }, limit: MOST_LISTS }),
      };
      const rows = place && {
        sink: sinkOfChoice({ ...place, table: tableNameOf(`${record.name} details`) }),
      };
      const stages: Stage[] =
        details === undefined
          ? [{ ...lists, ...(place && { sink: sinkOfChoice(place) }) }]
          : [
              lists,
              {
                name: 'details',
                target: { type: 'parser', parserId: made.current.details ?? '' },
                from: { stage: 'list', path: details.path },
                ...rows,
              },
            ];
      return call('createWorkflow', { body: { name: `${record.name}, whole`, stages } });
    },
    {
      stale: ['listWorkflows', 'listParsers', 'getParser'],
      onDone: ({ id }) => navigate({ to: '/workflows/$workflowId', params: { workflowId: id } }),
    },
  );
}
