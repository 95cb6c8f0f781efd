import { useRef } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { call, useChange } from '../../api/call.ts';
import { makeTogether } from '../../api/make-together.ts';
import { Refusal } from '../../api/problem.ts';
import { madeSink } from '../../targets/proposed-sink.ts';
import { sinkOfChoice, tableNameOf, type SinkChoice } from '../../targets/sink.ts';
import type { Stage } from '../../workflows/stages.ts';
import { fetchPage } from '../fetching/fetch-page.ts';
import type { Draft } from '../schema/draft.ts';
import { nameApart, type ParserRecord } from '../saving.ts';
import { sureFields, suggestFields } from '../suggest/tidy.ts';

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

/**
 * The path to the next page, which the parser's next version reads where it has no field for it yet.
 * @param undo notes how the fields of before are saved again
 */
async function pathToNext(
  { record, next }: Followed,
  undo: (step: () => Promise<unknown>) => void,
): Promise<string | undefined> {
  if (next === undefined || 'path' in next) return next?.path;
  const schema = savedSchema(record.schema);
  const { fields } = schema;
  const name = nameApart(NEXT_FIELD, Object.keys(fields)).replaceAll(' ', '_');
  const added: Draft['fields'] = { ...fields, [name]: { css: `${next.selector}@href`, type: 'url' } };
  const save = (fieldsOf: Draft['fields']) =>
    call('updateParser', {
      params: { id: record.id },
      body: {
        name: record.name,
        schema: { ...schema, fields: fieldsOf },
        scrape_config: record.scrape_config,
      },
    });
  await save(added);
  undo(() => save(fields));
  return `$.${name}`;
}

/** A parser of the fields that the studio proposes for the first of the linked pages. */
async function makeDetails({ record }: Followed, url: string): Promise<string> {
  const { scrape_config: config } = record;
  const { page } = await fetchPage(url, config, {});
  const fields = sureFields(await suggestFields(page, {}));
  if (fields === undefined)
    throw new Refusal(`Nothing on ${url} repeats or has a name, so there is no field to propose.`);
  const wanted = `${record.name}, details`;
  const { parsers } = await call('listParsers', { query: { search: wanted, limit: 50 } });
  const name = nameApart(
    wanted,
    parsers.map((one) => one.name),
  );
  const { id } = await call('createParser', {
    body: { name, schema: { fields }, scrape_config: config },
  });
  return id;
}

/** The stages of a list and of its details. @param place where the rows go */
function stagesOf(
  { record, details }: Followed,
  { nextPath, detailsId, place }: { nextPath?: string; detailsId?: string; place?: SinkChoice },
): Stage[] {
  const lists: Stage = {
    name: 'list',
    target: { type: 'parser', parserId: record.id },
    ...(nextPath === undefined ? {} : { from: { stage: 'list', path: nextPath }, limit: MOST_LISTS }),
  };
  if (details === undefined || detailsId === undefined)
    return [{ ...lists, ...(place && { sink: sinkOfChoice(place) }) }];
  const rows = place && { sink: sinkOfChoice({ ...place, table: tableNameOf(`${record.name} details`) }) };
  const from = { stage: 'list', path: details.path };
  return [lists, { name: 'details', target: { type: 'parser', parserId: detailsId }, from, ...rows }];
}

/** Makes what follows a list: a parser for its details, a field for its next page, and the workflow of both. */
export function useFollow() {
  const navigate = useNavigate();
  // The page of the details was paid for, so its parser is not made again when a later call is refused.
  const made = useRef<string>(undefined);
  return useChange(
    async (followed: Followed) => {
      const { record, details, sink } = followed;
      if (details !== undefined) made.current ??= await makeDetails(followed, details.url);
      const place = sink && (await madeSink(sink));
      return makeTogether(async (undo) => {
        const nextPath = await pathToNext(followed, undo);
        const stages = stagesOf(followed, { nextPath, detailsId: made.current, place });
        return call('createWorkflow', { body: { name: `${record.name}, whole`, stages } });
      });
    },
    {
      stale: ['listWorkflows', 'listParsers', 'getParser'],
      onDone: ({ id }) => navigate({ to: '/workflows/$workflowId', params: { workflowId: id } }),
    },
  );
}
