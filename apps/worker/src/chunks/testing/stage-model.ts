import { createHash } from 'node:crypto';
import type { WorkflowDefinition } from '@gleaner/contracts';

/** A workflow over pages that are made up from their address, and the rules by which they are. */
export interface ModelGraph {
  /** For each stage: the earlier stages whose results it takes. */
  sources: number[][];
  /** For each stage: whether it takes its own results. */
  own: boolean[];
  /** Most links of one page to one stage. */
  fanOut: number;
  /** How many of 100 pages fail. */
  failing: number;
  /** How many pages of each stage links point to; few pages make duplicates. */
  pages: number;
  seed: number;
}

/** The fields of the parser that all stages use: links to each stage, links of its own, a value to carry. */
export function modelSchema(stages: number) {
  const list = { css: 'a@href', take: 'all' as const };
  return {
    fields: {
      value: 'h1',
      own: list,
      ...Object.fromEntries(Array.from({ length: stages }, (_, place) => [`to_${place}`, list])),
    },
  };
}

export function modelAddress(stage: number, page: number): string {
  return `http://a.test/${stage}/${page}`;
}

function readAddress(address: string): { stage: number; page: number } {
  const [stage = '', page = ''] = address.slice('http://a.test/'.length).split('/');
  return { stage: Number(stage), page: Number(page) };
}

function draw(...parts: readonly (string | number)[]): number {
  return createHash('sha256').update(parts.join(' ')).digest().readUInt32BE(0);
}

export function fails({ seed, failing }: ModelGraph, address: string): boolean {
  return draw('fails', seed, address) % 100 < failing;
}

export function valueOf(address: string): string {
  return `value of ${address}`;
}

/** The links of a page to a stage; with repeats. */
function linksTo(graph: ModelGraph, address: string, to: number): string[] {
  const { seed, fanOut, pages } = graph;
  const count = draw('count', seed, address, to) % (fanOut + 1);
  return Array.from({ length: count }, (_, index) =>
    modelAddress(to, draw('link', seed, address, to, index) % pages),
  );
}

/** What the parser makes of a page. */
export function readPage(graph: ModelGraph, address: string): Record<string, unknown> {
  const { stage } = readAddress(address);
  return {
    value: valueOf(address),
    own: graph.own[stage] === true ? linksTo(graph, address, stage) : [],
    ...Object.fromEntries(
      graph.sources.map((sources, place) => [
        `to_${place}`,
        sources.includes(stage) ? linksTo(graph, address, place) : [],
      ]),
    ),
  };
}

/** The children of a page that succeeds. */
export function childrenOf(graph: ModelGraph, address: string): string[] {
  const { own, value: _, ...others } = readPage(graph, address) as Record<string, string[]>;
  return [...(own ?? []), ...Object.values(others).flat()];
}

/** Every page that a run without limits visits, by stage. */
export function visitAll(graph: ModelGraph, inputs: readonly string[]): Set<string>[] {
  const visited = graph.sources.map(() => new Set<string>());
  const waiting = [...inputs];
  for (let address = waiting.pop(); address !== undefined; address = waiting.pop()) {
    const seen = visited[readAddress(address).stage];
    if (!seen || seen.has(address)) continue;
    seen.add(address);
    if (!fails(graph, address)) waiting.push(...childrenOf(graph, address));
  }
  return visited;
}

export function toDefinition(
  graph: ModelGraph,
  parserId: string,
  limits: WorkflowDefinition['limits'],
  stageLimit: number | undefined,
): WorkflowDefinition {
  return {
    limits,
    stages: graph.sources.map((sources, place) => {
      const from = sources.map((source) => ({ stage: `stage_${source}`, path: `$.to_${place}[*]` }));
      if (graph.own[place] === true) from.push({ stage: `stage_${place}`, path: '$.own[*]' });
      return {
        name: `stage_${place}`,
        target: { type: 'parser' as const, parserId },
        scrape_config: { retries: 0 },
        ...(from.length > 0 ? { from } : {}),
        ...(stageLimit === undefined ? { limit: 1_000_000 } : { limit: stageLimit }),
      };
    }),
  };
}
