import { invalid } from '../platform/invalid-request.ts';
import { type WorkflowStage } from '@gleaner/contracts';
import type { StagePart } from './stage-parts.ts';

/** A part of the workflow that another one takes results of. */
export interface StageSource {
  /** Index among the parts. */
  stage: number;
  path: string;
  as: string | null;
  /** For messages: `stages[1].from.path`. */
  field: string;
}

/** A part of a workflow with what it takes. */
export interface GraphStage extends StagePart {
  /** Index among the parts. */
  place: number;
  /** The parts before it that it takes results of. */
  sources: StageSource[];
  /** How it takes its own results; empty when it doesn't. */
  own: StageSource[];
}

function listSources(stage: WorkflowStage, place: number) {
  const at = `stages[${place}].from`;
  const from = 'crawl' in stage ? undefined : stage.from;
  if (from === undefined) return [];
  return Array.isArray(from)
    ? from.map((one, index) => ({ from: one, field: `${at}[${index}]` }))
    : [{ from, field: at }];
}

type WrittenSource = ReturnType<typeof listSources>[number];

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

/** Index of the stage that a source names. */
function findStage(stages: readonly WorkflowStage[], place: number, { from, field }: WrittenSource): number {
  const name = from.stage ?? stages[place - 1]?.name;
  const source = stages.findIndex((stage) => stage.name === name);
  if (source < 0) {
    const known = stages.map((stage) => stage.name).join(', ');
    throw invalid(
      `${field}.stage`,
      name === undefined ? 'there is no stage before it' : `there is no stage ${name}: there are ${known}`,
    );
  }
  if (source > place) {
    const way = findWay(stages, source, place);
    throw invalid(
      `${field}.stage`,
      way
        ? `the stages take from each other in a circle: ${[stages[place]?.name, ...way].join(' ← ')}`
        : `stage ${name} comes later`,
      way
        ? 'Only a stage that takes its own results may form a circle.'
        : 'Put it before the stages that take from it.',
    );
  }
  return source;
}

/** Index of the part that gives the results. @throws AppError invalid_request: a route that does not exist or has no data */
function findPart(parts: readonly StagePart[], stage: number, { from, field }: WrittenSource): number {
  const own = parts.flatMap((part, index) => (part.stage === stage ? [{ index, part: part.part }] : []));
  const [first] = own;
  if (first?.part === undefined) {
    if (from.route !== undefined)
      throw invalid(`${field}.route`, 'the stage does not crawl, so it has no routes');
    return first?.index ?? -1;
  }
  const routes = own.flatMap(({ index, part }) =>
    part?.role === 'route' ? [{ index, name: part.route.name }] : [],
  );
  const names = routes.map(({ name }) => name).join(', ');
  const there = names === '' ? 'no route of it has a target' : `its routes with a target are ${names}`;
  if (from.route === undefined) {
    const [only] = routes;
    if (only === undefined || routes.length > 1) throw invalid(`${field}.route`, `is missing: ${there}`);
    return only.index;
  }
  const found = routes.find(({ name }) => name === from.route);
  if (found === undefined) throw invalid(`${field}.route`, `${from.route} gives no results: ${there}`);
  return found.index;
}

function checkPlaces(stages: readonly WorkflowStage[]): void {
  for (const [place, stage] of stages.entries()) {
    const twin = stages.findIndex(({ name }) => name === stage.name);
    if (twin !== place)
      throw invalid(`stages[${place}].name`, `${stage.name} is the name of stages[${twin}] too`);
    if (place > 0 && 'crawl' in stage)
      throw invalid(`stages[${place}].crawl`, 'only the first stage can crawl', 'Put it first.');
  }
}

/**
 * Finds what takes what.
 * @param parts of these stages, from `readParts`
 * @throws AppError invalid_request: a name used twice, a stage that does not exist, a circle, a stage without inputs
 */
export function readGraph(stages: readonly WorkflowStage[], parts: readonly StagePart[]): GraphStage[] {
  checkPlaces(stages);
  return parts.map((part, place) => {
    const stage = stages[part.stage];
    const all = (stage ? listSources(stage, part.stage) : []).map((one): StageSource => {
      const source = findPart(parts, findStage(stages, part.stage, one), one);
      return { stage: source, path: one.from.path, as: one.from.as ?? null, field: `${one.field}.path` };
    });
    const own = all.filter((source) => source.stage === place);
    const sources = all.filter((source) => source.stage !== place);
    if (part.stage > 0 && sources.length === 0)
      throw invalid(
        `${part.at}.from`,
        own.length > 0 ? 'it takes its own results alone, so it would never begin' : 'is missing',
        'Name a stage before it and the path to the inputs in its results.',
      );
    return { ...part, place, sources, own };
  });
}

/** The parts that give rows and nothing else: those without successors other than themselves, and routes of a crawl. */
export function finalStages(graph: readonly GraphStage[]): GraphStage[] {
  const taken = new Set(graph.flatMap(({ sources }) => sources.map(({ stage }) => stage)));
  return graph.filter(({ place, part }) => (part === undefined ? !taken.has(place) : part.role === 'route'));
}

/** The indexes of all parts that may feed a part, including itself only if it takes its own results. */
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
