import { invalid } from '../platform/invalid-request.ts';
import { META_COLUMNS, type ColumnType } from '@gleaner/contracts';
import type { JsonSchema } from '@gleaner/extractors';
import { inputColumns, inputValueName, type CarriedNames } from '../runs/stages/input-values.ts';
import type { CarriedColumn, StageOutput } from '../runs/stages/stage-spec.ts';
import { requireFree } from '../runs/submission/carry-plan.ts';
import { columnType } from '../storage/sinks/resolve-sink.ts';
import { readPathSchemas } from './check-paths.ts';
import { findAncestors, type GraphStage } from './stage-graph.ts';
import { fieldOf } from './stage-parts.ts';

const INPUT = /^\$\.input\.(.+)$/s;
const CARRY = /^\$\.stages\.([a-z_][a-z0-9_]{0,62})(.*)$/s;

/** A value of an ancestor that a stage's sink needs. */
interface CarriedValue {
  /** Name of the sink's column, and of the value among those that a task keeps. */
  name: string;
  /** The ancestor's index; -1: a value of the run's input, which the task of the first stage keeps. */
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
  if (INPUT.test(name)) {
    const [first] = graph;
    if (first?.part !== undefined || first?.target?.type === 'api')
      throw invalid(field, 'inputs have values of their own when the first stage has a parser');
    return { name, stage: -1, path: '' };
  }
  const [, stageName, path] = CARRY.exec(name) ?? [];
  if (stageName === undefined || path === undefined)
    throw invalid(field, 'must read $.stages.NAME.FIELD, as in $.stages.list.category, or $.input.NAME');
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
 * @param columnsOf the columns of a stage's own fields
 * @param input what all stages keep of the run's inputs: names of the values by column
 * @throws AppError invalid_request with the exact field
 */
export function planCarry(
  graph: readonly GraphStage[],
  outputs: readonly JsonSchema[],
  columnsOf: (place: number) => readonly string[],
  input: CarriedNames,
) {
  const needs = graph.map(() => new Map<string, CarriedValue>());
  const typeOf = (value: CarriedValue, field: string): ColumnType => {
    if (value.stage < 0) return 'text';
    const schemas = readPathSchemas(field, value.path, outputs[value.stage] ?? {});
    const [first = 'jsonb' as const, ...others] = new Set(schemas.map(columnType));
    return others.length === 0 ? first : 'jsonb';
  };
  const columns = graph.map(({ at, sink, place }): CarriedColumn[] => {
    if (sink?.mode !== 'database') {
      requireFree(input, columnsOf(place));
      return [];
    }
    const named = Object.entries(sink.carry ?? {}).map(([column, name]): CarriedColumn => {
      const field = fieldOf({ at }, `sink.carry.${column}`);
      const value = readCarry(graph, place, name, field);
      const known = [...META_COLUMNS, ...columnsOf(place)];
      if (known.includes(column))
        throw invalid(field, `the target's own fields give a column ${column} already`);
      needs[place]?.set(name, value);
      return { column, type: typeOf(value, field), from: name };
    });
    const rest = Object.fromEntries(
      Object.entries(input).filter(([column]) => !Object.hasOwn(sink.carry ?? {}, column)),
    );
    requireFree(rest, columnsOf(place));
    return [...named, ...inputColumns(rest, sink)];
  });
  for (const values of needs)
    for (const name of Object.values(input).map(inputValueName))
      values.set(name, { name, stage: -1, path: '' });
  // Stages come after their sources, so one pass backwards reaches all.
  for (const stage of graph.toReversed()) {
    for (const { stage: source } of stage.sources) {
      const ancestors = findAncestors(graph, source);
      for (const value of needs[stage.place]?.values() ?? []) {
        const isKept = value.stage < 0 || ancestors.has(value.stage);
        if (value.stage !== source && isKept) needs[source]?.set(value.name, value);
      }
    }
  }
  return {
    /** Columns by index of the stage. */
    columns,
    /** What the tasks of the first stage keep of their inputs: names of the values. */
    inputs: [...(needs[0]?.values() ?? [])].flatMap(({ name }) => INPUT.exec(name)?.[1] ?? []),
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
