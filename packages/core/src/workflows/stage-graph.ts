import { AppError, DEFAULT_OWN_LIMIT, type WorkflowStage } from '@gleaner/contracts';

/** A stage that another one takes results of. */
export interface StageSource {
  /** Index of the stage in the workflow. */
  stage: number;
  path: string;
  as: string | null;
  /** For messages: `stages[1].from.path`. */
  field: string;
}

/** A stage with what it takes. */
export interface GraphStage {
  place: number;
  name: string;
  /** The stages before it that it takes results of. */
  sources: StageSource[];
  /** How it takes its own results; empty when it doesn't. */
  own: StageSource[];
  /** Most tasks in one run. */
  limit: number | null;
}

function refuse(field: string, detail: string, hint?: string): AppError {
  return new AppError('invalid_request', { field, detail, hint });
}

function listSources(stage: WorkflowStage, place: number) {
  const at = `stages[${place}].from`;
  const { from } = stage;
  if (from === undefined) return [];
  return Array.isArray(from)
    ? from.map((one, index) => ({ from: one, field: `${at}[${index}]` }))
    : [{ from, field: at }];
}

/** The names on a way from one stage to another along what stages take, if there is one. */
function findWay(
  stages: readonly WorkflowStage[],
  start: number,
  end: number,
  seen = new Set<number>(),
): string[] | undefined {
  const name = stages[start]?.name ?? '';
  if (start === end) return [name];
  seen.add(start);
  for (const { from } of stages[start] ? listSources(stages[start], start) : []) {
    const next = from.stage === undefined ? start - 1 : stages.findIndex((one) => one.name === from.stage);
    if (next < 0 || seen.has(next)) continue;
    const way = findWay(stages, next, end, seen);
    if (way) return [name, ...way];
  }
  return undefined;
}

function findSource(
  stages: readonly WorkflowStage[],
  place: number,
  { from, field }: ReturnType<typeof listSources>[number],
): StageSource {
  const name = from.stage ?? stages[place - 1]?.name;
  const source = stages.findIndex((stage) => stage.name === name);
  if (source < 0) {
    const known = stages.map((stage) => stage.name).join(', ');
    throw refuse(
      `${field}.stage`,
      name === undefined ? 'there is no stage before it' : `there is no stage ${name}: there are ${known}`,
    );
  }
  if (source > place) {
    const way = findWay(stages, source, place);
    throw refuse(
      `${field}.stage`,
      way
        ? `the stages take from each other in a circle: ${[stages[place]?.name, ...way].join(' ← ')}`
        : `stage ${name} comes later`,
      way
        ? 'Only a stage that takes its own results may form a circle.'
        : 'Put it before the stages that take from it.',
    );
  }
  return { stage: source, path: from.path, as: from.as ?? null, field: `${field}.path` };
}

/**
 * Finds what takes what.
 * @throws AppError invalid_request: a name used twice, a stage that does not exist, a circle, a stage without inputs
 */
export function readGraph(stages: readonly WorkflowStage[]): GraphStage[] {
  return stages.map((stage, place) => {
    const twin = stages.findIndex(({ name }) => name === stage.name);
    if (twin !== place)
      throw refuse(`stages[${place}].name`, `${stage.name} is the name of stages[${twin}] too`);
    const all = listSources(stage, place).map((one) => findSource(stages, place, one));
    const own = all.filter((source) => source.stage === place);
    const sources = all.filter((source) => source.stage !== place);
    if (place > 0 && sources.length === 0) {
      throw refuse(
        `stages[${place}].from`,
        own.length > 0 ? 'it takes its own results alone, so it would never begin' : 'is missing',
        'Name a stage before it and the path to the inputs in its results.',
      );
    }
    return {
      place,
      name: stage.name,
      sources,
      own,
      limit: stage.limit ?? (own.length > 0 ? DEFAULT_OWN_LIMIT : null),
    };
  });
}

/** The indexes of the stages without successors other than themselves. */
export function finalStages(graph: readonly GraphStage[]): number[] {
  const taken = new Set(graph.flatMap(({ sources }) => sources.map(({ stage }) => stage)));
  return graph.flatMap(({ place }) => (taken.has(place) ? [] : [place]));
}

/** The indexes of all stages that may feed a stage, including itself only if it takes its own results. */
export function findAncestors(graph: readonly GraphStage[], place: number): Set<number> {
  const found = new Set<number>();
  const visit = (at: number): void => {
    const stage = graph[at];
    for (const source of stage ? [...stage.sources, ...stage.own] : []) {
      if (found.has(source.stage)) continue;
      found.add(source.stage);
      visit(source.stage);
    }
  };
  visit(place);
  return found;
}
