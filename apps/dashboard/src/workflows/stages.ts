import type { CallOutput } from '../api/call.ts';

export type Stage = CallOutput<'getWorkflow'>['stages'][number];
export type WorkflowRun = CallOutput<'getWorkflowRun'>;
export type StageState = WorkflowRun['stages'][number];
type From = Exclude<Stage['from'], undefined>;

/** Where a stage takes its inputs from: one result path of one stage. */
export interface Source {
  stage: string;
  path: string;
  /** For prebuilt APIs: the parameter that takes the value. */
  as?: string | undefined;
}

/** The sources of a stage, each with the name of its stage: left out, it is the stage before. */
export function sourcesOf(stages: readonly Stage[], index: number): Source[] {
  const from: From | undefined = stages[index]?.from;
  if (from === undefined) return [];
  return [from].flat().map(({ stage, path, as }) => ({
    stage: stage ?? stages[index - 1]?.name ?? '',
    path,
    ...(as === undefined ? {} : { as }),
  }));
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
export function withSources(stage: Stage, sources: readonly Source[]): Stage {
  const { from: _from, ...rest } = stage;
  const written = sources.map(({ as, ...source }) => ({ ...source, ...(as ? { as } : {}) }));
  const [only] = written;
  if (only === undefined) return rest;
  return { ...rest, from: written.length === 1 ? only : written };
}

/** `stages[1].from.path` belongs to stage 1. */
export function stageOfField(field: string | undefined): number | undefined {
  const found = /^(?:body\.)?stages\[(\d+)\]/.exec(field ?? '');
  return found?.[1] === undefined ? undefined : Number(found[1]);
}
