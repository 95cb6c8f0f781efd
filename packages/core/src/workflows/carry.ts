import { invalid } from '../platform/invalid-request.ts';
import { META_COLUMNS } from '@gleaner/contracts';
import type { JsonSchema } from '@gleaner/extractors';
import type { CarriedColumn, StageOutput } from '../runs/stages/stage-spec.ts';
import { columnType } from '../storage/sinks/resolve-sink.ts';
import { readPathSchemas } from './check-paths.ts';
import { findAncestors, type GraphStage } from './stage-graph.ts';
import { fieldOf } from './stage-parts.ts';

const CARRY = /^\$\.stages\.([a-z_][a-z0-9_]{0,62})(.*)$/s;

/** A value of an ancestor that a stage's sink needs. */
interface CarriedValue {
  /** Name of the sink's column, and of the value among those that a task keeps. */
  name: string;
  /** The ancestor's index. */
  stage: number;
  /** JSONPath into the ancestor's data. */
  path: string;
}

/** The part that a text after `$.stages.` names, and the rest of it: of a crawl, the route stands before the field. */
function findNamed(
  graph: readonly GraphStage[],
  stageName: string,
  rest: string,
): { stage: number; rest: string } {
  const stage = graph.findIndex((one) => one.name === stageName);
  if (graph[stage]?.part === undefined) return { stage, rest };
  const [head = '', route = ''] = /^\.([a-z_][a-z0-9_]{0,62})/.exec(rest) ?? [];
  const named = graph.findIndex((one) => one.name === `${stageName}:${route}`);
  return { stage: named, rest: rest.slice(head.length) };
}

function readCarry(graph: readonly GraphStage[], place: number, name: string, field: string): CarriedValue {
  const [, stageName, path] = CARRY.exec(name) ?? [];
  if (stageName === undefined || path === undefined)
    throw invalid(field, 'must read $.stages.NAME.FIELD, as in $.stages.list.category');
  const { stage, rest } = findNamed(graph, stageName, path);
  if (stage < 0) {
    const isCrawl = graph.some((one) => one.name === stageName);
    throw invalid(
      field,
      isCrawl
        ? `the stage ${stageName} crawls: name a route of it with a target, as in $.stages.${stageName}.ROUTE.FIELD`
        : `there is no stage ${stageName}`,
    );
  }
  if (!findAncestors(graph, place).has(stage))
    throw invalid(field, `no result of ${graph[place]?.name ?? ''} comes from stage ${stageName}`);
  return { name, stage, path: `$${rest}` };
}

/**
 * Finds the values of ancestors that each stage keeps for its sink and for later stages.
 * @param outputs the schemas of the stages' results, by index
 * @param columnsOf the columns that a stage's sink has without these
 * @throws AppError invalid_request with the exact field
 */
export function planCarry(
  graph: readonly GraphStage[],
  outputs: readonly JsonSchema[],
  columnsOf: (place: number) => readonly string[],
) {
  const needs = graph.map(() => new Map<string, CarriedValue>());
  const columns = graph.map(({ at, sink, place }): CarriedColumn[] => {
    if (sink?.mode !== 'database') return [];
    return Object.entries(sink.carry ?? {}).map(([column, name]) => {
      const field = fieldOf({ at }, `sink.carry.${column}`);
      const value = readCarry(graph, place, name, field);
      const known = [...META_COLUMNS, ...columnsOf(place)];
      if (known.includes(column))
        throw invalid(field, `the target's own fields give a column ${column} already`);
      const schemas = readPathSchemas(field, value.path, outputs[value.stage] ?? {});
      const [first = 'jsonb' as const, ...others] = new Set(schemas.map(columnType));
      const type = others.length === 0 ? first : 'jsonb';
      needs[place]?.set(name, value);
      return { column, type, from: name };
    });
  });
  // Stages come after their sources, so one pass backwards reaches all.
  for (const stage of graph.toReversed()) {
    for (const { stage: source } of stage.sources) {
      const ancestors = findAncestors(graph, source);
      for (const value of needs[stage.place]?.values() ?? []) {
        if (value.stage !== source && ancestors.has(value.stage)) needs[source]?.set(value.name, value);
      }
    }
  }
  return {
    /** Columns by index of the stage. */
    columns,
    /** The values that a child keeps on its way from one stage to another. */
    between: (from: number, to: number): StageOutput['carried'] =>
      Object.fromEntries(
        Array.from(needs[to]?.values() ?? [], ({ name, stage, path }) => [
          name,
          { path: stage === from ? path : null },
        ]),
      ),
  };
}
