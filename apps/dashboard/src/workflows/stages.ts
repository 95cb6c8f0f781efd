import { readPasted } from '../runs/pasted-table.ts';
import { carryOf } from '../runs/run-draft.ts';
import { IDENTIFIER, IDENTIFIER_RULE, longForm, parseExactJson } from '@gleaner/contracts/values';
import { type CallInput, type CallOutput, operationQuery } from '../api/call.ts';
import { linesOf } from '../format/format.ts';
import { historyOf, keyOf, withoutChoice, type SinkChoice } from '../targets/sink.ts';
import type { FieldObject, Fields } from '@gleaner/contracts';
import { useQuery } from '@tanstack/react-query';

export type Stage = CallInput<'createWorkflow'>['body']['stages'][number];
/** A stage with a target. The other kind crawls a site. */
export type TargetStage = Extract<Stage, { target: unknown }>;
export type WorkflowRun = CallOutput<'getWorkflowRun'>;
export type StageState = WorkflowRun['stages'][number];
type From = Exclude<TargetStage['from'], undefined>;

/** Where a stage takes its inputs from: one result path of one stage. */
export interface Source {
  stage: string;
  /** The route of a stage that crawls. */
  route?: string | undefined;
  path: string;
  /** For prebuilt APIs: the parameter that takes the value. */
  as?: string | undefined;
}

export function hasTarget(stage: Stage | undefined): stage is TargetStage {
  return stage !== undefined && 'target' in stage;
}

/** The saved parsers that read the pages of these stages. */
export function parsersOf(stages: readonly Stage[]): string[] {
  return stages
    .flatMap((stage) => (hasTarget(stage) ? [stage.target] : stage.routes.map(({ target }) => target)))
    .flatMap((target) => (target?.type === 'parser' ? [target.parserId] : []));
}

/** The sources of a stage, each with the name of its stage: left out, it is the stage before. */
export function sourcesOf(stages: readonly Stage[], index: number): Source[] {
  const stage = stages[index];
  const from: From | undefined = hasTarget(stage) ? stage.from : undefined;
  if (from === undefined) return [];
  return [from].flat().map((source) => ({ ...source, stage: source.stage ?? stages[index - 1]?.name ?? '' }));
}

/** The column of each stage in the graph: to the right of all stages that feed it. */
export function columnsOf(stages: readonly Stage[]): number[] {
  const columns: number[] = [];
  for (const [index, { name }] of stages.entries()) {
    const before = sourcesOf(stages, index)
      .filter(({ stage }) => stage !== name)
      .map(({ stage }) => columns[stages.findIndex((other) => other.name === stage)] ?? 0);
    columns.push(before.length === 0 ? 0 : Math.max(...before) + 1);
  }
  return columns;
}

/** A stage with these sources; a single one is written without a list. */
export function withSources(stage: TargetStage, sources: readonly Source[]): TargetStage {
  const written = sources.map((source) => ({ ...source, as: source.as || undefined }));
  return { ...stage, from: written.length > 1 ? written : written[0] };
}

/** `stages[1].from.path` belongs to stage 1. */
export function stageOfField(field: string | undefined): number | undefined {
  const found = /^(?:body\.)?stages\[(\d+)\]/.exec(field ?? '');
  return found?.[1] === undefined ? undefined : Number(found[1]);
}

/**
 * The inputs of a first stage, one a line.
 * @param takesObjects the stage takes objects of an API's parameters instead of addresses
 * @param carry names of columns to keep, of a pasted CSV
 * @throws SyntaxError when a line of objects is not JSON
 */
export function startInputs(text: string, takesObjects: boolean, carry: readonly string[] = []) {
  if (!takesObjects) {
    const pasted = readPasted(text);
    if (pasted === undefined) return { urls: linesOf(text) };
    // The first stage may have several parsers, whose fields the service knows.
    return carry.length === 0
      ? { urls: pasted.inputs.map(({ url = '' }) => url) }
      : { inputs: pasted.inputs, carry: carryOf(carry, []) };
  }
  return { inputs: linesOf(text).map((line) => parseExactJson(line) as Record<string, unknown>) };
}

function freeStageName(stages: readonly Stage[]): string {
  for (let number = stages.length + 1; ; number += 1) {
    const name = `stage_${number}`;
    if (!stages.some((stage) => stage.name === name)) return name;
  }
}

/** The stages with one more, which follows the links of the last that the path names. */
export function addStage(stages: readonly Stage[], path: string): readonly Stage[] {
  const last = stages.at(-1);
  const target = hasTarget(last) ? last.target : last?.routes.find((route) => route.target)?.target;
  if (!last || !target) return stages;
  const made: TargetStage = { name: freeStageName(stages), target };
  return [...stages, withSources(made, [{ stage: last.name, path }])];
}

/** Changes a stage; those that take from it follow a new name. */
export function replaceStage(stages: readonly Stage[], index: number, next: Stage): Stage[] {
  const before = stages[index]?.name;
  return stages.map((stage, at) => {
    const changed = at === index ? next : stage;
    const sources = sourcesOf(at === index ? stages.with(index, next) : stages, at);
    if (!hasTarget(changed) || before === next.name || !sources.some((source) => source.stage === before))
      return changed;
    return withSources(
      changed,
      sources.map((source) => (source.stage === before ? { ...source, stage: next.name } : source)),
    );
  });
}

/** What is wrong with the name of a stage; undefined when it is right. */
export function nameFault(stages: readonly Stage[], index: number): string | undefined {
  const name = stages[index]?.name ?? '';
  if (stages.some((other, at) => at !== index && other.name === name)) return 'another stage has this name';
  return IDENTIFIER.test(name) ? undefined : IDENTIFIER_RULE;
}

/** A stage whose rows go to a database, or stay with the run. Settings that the form doesn't show stay as they are. */
export function withSink(stage: TargetStage, choice: SinkChoice): TargetStage {
  const { database, table, key, types, history } = choice;
  const { sink, ...rest } = stage;
  if (database === null) return rest;
  const known = sink?.mode === 'database' ? withoutChoice(sink) : {};
  const typed = types === undefined ? {} : { types };
  return {
    ...rest,
    sink: {
      contract: 'evolve',
      nulls: 'keep',
      ...known,
      mode: 'database',
      database,
      table,
      ...keyOf(key),
      ...typed,
      ...historyOf(history),
    },
  };
}

/**
 * The stages of a run, as its workflow describes them. Only their names are known after the workflow was deleted or
 * changed.
 */
export function stagesOfRun(run: WorkflowRun, stages: readonly Stage[] = []): Stage[] {
  const known = stages.filter((stage) => run.stages.some(({ name }) => name === stage.name));
  if (known.length === run.stages.length) return known;
  return run.stages.map(({ name }) => ({ name, target: { type: 'api', id: 'no longer known' } }));
}

const LINK = /@href\s*$/;
/** Attributes with the address of a picture, which is no page. */
const PICTURE = /^(?:src|srcset|data-(?:lazy-)?src(?:set)?|data-original)$/;

function readsPicture({ css, attr, any = [] }: FieldObject): boolean {
  const attributes = [css ?? []].flat().map((selector) => /@([\w:.-]+)\s*$/.exec(selector)?.[1] ?? '');
  return (
    PICTURE.test(attr ?? '') ||
    attributes.some((name) => PICTURE.test(name)) ||
    any.some((one) => readsPicture(longForm(one)))
  );
}

/** Whether a field reads where a link leads. */
export function readsHref({ css, attr }: FieldObject): boolean {
  return attr === 'href' || [css ?? []].flat().some((selector) => LINK.test(selector));
}

/** JSONPaths to the addresses in a parser's results, of which another stage can take them. */
export function linkPathsOf(fields: Fields, prefix = '$'): string[] {
  return Object.entries(fields).flatMap(([name, written]) => {
    const field: FieldObject = longForm(written);
    const isList = field.page === 'links' ? field.take !== 'first' : field.take === 'all';
    const path = `${prefix}.${name}${isList ? '[*]' : ''}`;
    if (field.fields) return linkPathsOf(field.fields, path);
    const isLink = field.type === 'url' || field.page === 'links' || readsHref(field);
    return isLink && !readsPicture(field) ? [path] : [];
  });
}

/** The parser of a stage, or of the first route that has one. */
function parserOf(stage: Stage | undefined, route?: string): string | undefined {
  if (stage === undefined) return undefined;
  const target = hasTarget(stage)
    ? stage.target
    : stage.routes.find(({ name, target }) => target && (route === undefined || name === route))?.target;
  return target?.type === 'parser' ? target.parserId : undefined;
}

/** `linkPathsOf` of what a stage reads pages with; empty while it isn't known, and without a saved parser. */
export function useLinkPaths(stage: Stage | undefined, route?: string): readonly string[] {
  const id = parserOf(stage, route);
  const parser = useQuery({
    ...operationQuery('getParser', { params: { id: id ?? '' } }),
    enabled: id !== undefined,
  });
  return parser.data ? linkPathsOf((parser.data.schema as { fields: Fields }).fields) : [];
}
