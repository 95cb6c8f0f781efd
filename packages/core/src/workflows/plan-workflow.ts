import {
  isApiId,
  PREBUILT_APIS,
  type Sink,
  type StageSink,
  type WorkflowDefinition,
} from '@gleaner/contracts';
import { outputSchema, type JsonSchema } from '@gleaner/extractors';
import { z } from 'zod';
import { invalid } from '../platform/invalid-request.ts';
import type { CarriedNames } from '../runs/stages/input-values.ts';
import { openRunSink, readSource } from '../runs/submission/run-sink.ts';
import { resolveTarget, type ResolvedTarget } from '../runs/submission/resolve-target.ts';
import type { SubmitServices } from '../runs/submission/run-services.ts';
import type { CarriedColumn, StageOutput } from '../runs/stages/stage-spec.ts';
import { readDatabase } from '../storage/databases/database-record.ts';
import { answerColumns, resolveSink } from '../storage/sinks/resolve-sink.ts';
import { planCarry } from './carry.ts';
import { checkSource } from './check-paths.ts';
import { resolveCrawlPart } from './resolve-crawl-part.ts';
import { readGraph, type GraphStage } from './stage-graph.ts';
import { inPart, readParts } from './stage-parts.ts';

/** A part of a workflow with the versions, configuration and prices of this moment. */
export interface PlannedStage extends Omit<GraphStage, 'sink'> {
  resolved: ResolvedTarget;
  sink: Sink | undefined;
  columns: CarriedColumn[];
  /** Names of the values of its inputs that tasks of the first stage keep. */
  inputNames: readonly string[];
  /** The parts that take its results; `to` is the index of such a part. */
  outputs: (Omit<StageOutput, 'run'> & { to: number })[];
}

async function readOutput({ parsers }: SubmitServices, { target }: ResolvedTarget): Promise<JsonSchema> {
  switch (target.type) {
    case 'api':
      return isApiId(target.id) ? z.toJSONSchema(PREBUILT_APIS[target.id].output, { io: 'output' }) : {};
    case 'schema':
      return outputSchema(target.schema);
    case 'parser':
      return outputSchema((await parsers.load(target.parserId, target.version)).schema);
    case 'crawl':
      return {};
  }
}

function toSink(sink: StageSink | undefined): Sink | undefined {
  if (sink?.mode !== 'database') return sink;
  const { carry: _, ...plain } = sink;
  return plain;
}

/**
 * The columns of a stage's own fields, in its table or in an export of its results.
 * @throws AppError not_found (sink.database), invalid_request (sink.rows)
 */
async function readColumns(
  services: SubmitServices,
  accountId: string,
  sink: Sink | undefined,
  { target }: ResolvedTarget,
): Promise<string[]> {
  if (target.type === 'crawl') return [];
  const source = await readSource(services.parsers, target);
  if (sink?.mode !== 'database') return answerColumns(source).map(({ name }) => name);
  await readDatabase(services.db.orm, { accountId, id: sink.database, field: 'sink.database' });
  return resolveSink(sink, source).columns.map(({ name }) => name);
}

interface Part {
  stage: GraphStage;
  resolved: ResolvedTarget;
  schema: JsonSchema;
  sink: Sink | undefined;
  /** The columns of its own fields. */
  own: string[];
}

function findOutputs(
  parts: readonly Part[],
  place: number,
  carriedTo: (to: number) => StageOutput['carried'],
): PlannedStage['outputs'] {
  return parts.flatMap(({ stage, resolved: { target } }) =>
    [...stage.sources, ...stage.own]
      .filter((source) => source.stage === place)
      .map(({ path, as }) => {
        const api = target.type === 'api' && isApiId(target.id) ? target.id : null;
        return { to: stage.place, path, as, api, carried: carriedTo(stage.place) };
      }),
  );
}

function resolvePart(
  services: SubmitServices,
  accountId: string,
  stage: GraphStage,
): ResolvedTarget | Promise<ResolvedTarget> {
  const { part, target, config } = stage;
  if (part !== undefined) return resolveCrawlPart(services, accountId, { part, target, config });
  if (target === undefined || target.type === 'schema')
    throw new Error('a stage has a saved parser or an API');
  return resolveTarget(services, accountId, target, config);
}

/**
 * Resolves everything that parts name and checks that they fit together.
 * @param carry what the run keeps of its inputs in all of them
 * @throws AppError not_found, invalid_request, with the exact field in the definition
 */
export async function planParts(
  services: SubmitServices,
  accountId: string,
  graph: readonly GraphStage[],
  carry: CarriedNames = {},
): Promise<PlannedStage[]> {
  const [first] = graph;
  if (Object.keys(carry).length > 0 && (first?.part !== undefined || first?.target?.type === 'api'))
    throw invalid('carry', 'keeps values of inputs when the first stage has a parser');
  const parts: Part[] = [];
  for (const stage of graph) {
    await inPart(stage, async () => {
      const resolved = await resolvePart(services, accountId, stage);
      const schema = await readOutput(services, resolved);
      const sink = toSink(stage.sink);
      parts.push({
        stage,
        resolved,
        schema,
        sink,
        own: await readColumns(services, accountId, sink, resolved),
      });
    });
  }
  for (const { stage, resolved } of parts) {
    for (const source of [...stage.sources, ...stage.own])
      checkSource(source, parts[source.stage]?.schema ?? {}, resolved.target);
  }
  const schemas = parts.map(({ schema }) => schema);
  const plan = planCarry(graph, schemas, (place) => parts[place]?.own ?? [], carry);
  return parts.map(({ stage, resolved, sink }) => ({
    ...stage,
    resolved,
    sink,
    columns: plan.columns[stage.place] ?? [],
    inputNames: stage.place === 0 ? plan.inputs : [],
    outputs: findOutputs(parts, stage.place, (to) => plan.between(stage.place, to)),
  }));
}

/** `planParts` of a definition. */
export function planWorkflow(
  services: SubmitServices,
  accountId: string,
  { stages }: WorkflowDefinition,
  carry?: CarriedNames,
): Promise<PlannedStage[]> {
  return planParts(services, accountId, readGraph(stages, readParts(stages)), carry);
}

/**
 * Tries whether every stage's sink can be written.
 * @throws AppError invalid_request, not_found, temporarily_unavailable, with the exact field
 */
export async function trySinks(
  services: SubmitServices,
  run: { id: string; accountId: string },
  stages: readonly PlannedStage[],
): Promise<void> {
  for (const { at, sink, resolved, columns } of stages) {
    if (sink?.mode !== 'database') continue;
    await inPart({ at }, () =>
      openRunSink(services, { ...run, target: resolved.target, sink, carried: columns }),
    );
  }
}
