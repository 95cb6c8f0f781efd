import {
  AppError,
  isApiId,
  PREBUILT_APIS,
  type Sink,
  type WorkflowDefinition,
  type WorkflowStage,
} from '@gleaner/contracts';
import { outputSchema, type JsonSchema } from '@gleaner/extractors';
import { z } from 'zod';
import { openRunSink, readSource } from '../runs/submission/run-sink.ts';
import { resolveTarget, type ResolvedTarget } from '../runs/submission/resolve-target.ts';
import type { SubmitServices } from '../runs/submission/run-services.ts';
import type { CarriedColumn, StageOutput } from '../runs/stages/stage-spec.ts';
import { readDatabase } from '../storage/databases/database-record.ts';
import { resolveSink } from '../storage/sinks/resolve-sink.ts';
import { planCarry } from './carry.ts';
import { checkSource } from './check-paths.ts';
import { readGraph, type GraphStage } from './stage-graph.ts';

/** A stage with the versions, configuration and prices of this moment. */
export interface PlannedStage extends GraphStage {
  resolved: ResolvedTarget;
  sink: Sink | undefined;
  columns: CarriedColumn[];
  /** The stages that take its results; `to` is the index of such a stage. */
  outputs: (Omit<StageOutput, 'run'> & { to: number })[];
}

/** Names the stage in the field of a refusal: `target.parserId` becomes `stages[1].target.parserId`. */
async function inStage<T>(place: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { field } = error.options;
    const at = `stages[${place}]`;
    throw new AppError(error.code, { ...error.options, field: field === undefined ? at : `${at}.${field}` });
  }
}

async function readOutput({ parsers }: SubmitServices, { target }: ResolvedTarget): Promise<JsonSchema> {
  if (target.type === 'api' && isApiId(target.id)) {
    return z.toJSONSchema(PREBUILT_APIS[target.id].output, { io: 'output' });
  }
  if (target.type !== 'parser') throw new Error('a stage has a parser or an API');
  const { schema } = await parsers.load(target.parserId, target.version);
  return outputSchema(schema);
}

function toSink({ sink }: WorkflowStage): Sink | undefined {
  if (sink?.mode !== 'database') return sink;
  const { carry: _, ...plain } = sink;
  return plain;
}

/** The columns of a stage's own fields. @throws AppError not_found (sink.database), invalid_request (sink.rows) */
async function readColumns(
  services: SubmitServices,
  accountId: string,
  sink: Sink | undefined,
  { target }: ResolvedTarget,
): Promise<string[]> {
  if (sink?.mode !== 'database') return [];
  await readDatabase(services.db.orm, { accountId, id: sink.database, field: 'sink.database' });
  const { columns } = resolveSink(sink, await readSource(services.parsers, target));
  return columns.map(({ name }) => name);
}

function findOutputs(
  graph: readonly GraphStage[],
  targets: readonly ResolvedTarget[],
  place: number,
  carriedTo: (to: number) => StageOutput['carried'],
): PlannedStage['outputs'] {
  return graph.flatMap((stage) =>
    [...stage.sources, ...stage.own]
      .filter((source) => source.stage === place)
      .map(({ path, as }) => {
        const { target } = targets[stage.place] ?? {};
        const api = target?.type === 'api' && isApiId(target.id) ? target.id : null;
        return { to: stage.place, path, as, api, carried: carriedTo(stage.place) };
      }),
  );
}

/**
 * Resolves everything that a definition names and checks that its stages fit together.
 * @throws AppError not_found, invalid_request, with the exact field in the definition
 */
export async function planWorkflow(
  services: SubmitServices,
  accountId: string,
  { stages }: WorkflowDefinition,
): Promise<PlannedStage[]> {
  const graph = readGraph(stages);
  const targets: ResolvedTarget[] = [];
  const schemas: JsonSchema[] = [];
  const columns: string[][] = [];
  for (const [place, stage] of stages.entries()) {
    await inStage(place, async () => {
      const resolved = await resolveTarget(services, accountId, stage.target, stage.scrape_config);
      targets.push(resolved);
      schemas.push(await readOutput(services, resolved));
      columns.push(await readColumns(services, accountId, toSink(stage), resolved));
    });
  }
  for (const stage of graph) {
    const target = targets[stage.place];
    for (const source of [...stage.sources, ...stage.own]) {
      if (target) checkSource(source, schemas[source.stage] ?? {}, target.target);
    }
  }
  const carry = planCarry(
    graph,
    stages.map(({ sink }) => sink),
    schemas,
    (place) => columns[place] ?? [],
  );
  return graph.flatMap((stage) => {
    const resolved = targets[stage.place];
    const written = stages[stage.place];
    if (!resolved || !written) return [];
    return {
      ...stage,
      resolved,
      sink: toSink(written),
      columns: carry.columns[stage.place] ?? [],
      outputs: findOutputs(graph, targets, stage.place, (to) => carry.between(stage.place, to)),
    };
  });
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
  for (const { place, sink, resolved, columns } of stages) {
    if (sink?.mode !== 'database') continue;
    await inStage(place, () =>
      openRunSink(services, { ...run, target: resolved.target, sink, carried: columns }),
    );
  }
}
