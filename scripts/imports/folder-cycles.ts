import { posix } from 'node:path';

/** From a file to the files of the same package that it imports; paths from the repository's root. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** From a file or folder to those that it imports, each with the first file that does. */
type Edges = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * Finds files that import each other, directly or through others. Imports of types count: what a file needs to
 * compile, a reader needs to understand.
 * @returns one line per circle
 */
export function findFileCycles(graph: ImportGraph): string[] {
  const edges = new Map(
    [...graph].map(([file, targets]) => [file, new Map(targets.map((target) => [target, file]))]),
  );
  return findCircles(edges).map((circle) => `files import each other: ${[...circle, circle[0]].join(' → ')}`);
}

/**
 * Finds folders that import each other, directly or through others. Folders are compared with their siblings: of
 * `a/x/1.ts` and `a/y/z/2.ts`, the folders `a/x` and `a/y`. Files beside folders belong to none of them.
 * @returns one line per circle, naming its folders and an import for each step
 */
export function findFolderCycles(graph: ImportGraph): string[] {
  const edges = siblingEdges(graph);
  return findCircles(edges).map((circle) => {
    const steps = circle.map((folder, index) => {
      const next = circle[(index + 1) % circle.length] ?? folder;
      return `${posix.basename(folder)} → ${posix.basename(next)} (${edges.get(folder)?.get(next)})`;
    });
    return `${posix.dirname(circle[0] ?? '')}: folders import each other: ${steps.join(', ')}`;
  });
}

/** The shortest circle through each node, each circle once. */
function findCircles(edges: Edges): string[][] {
  const circles = new Map<string, string[]>();
  for (const start of edges.keys()) {
    const circle = findCircle(edges, start);
    const key = circle.toSorted().join(' ');
    if (circle.length > 0 && !circles.has(key)) circles.set(key, circle);
  }
  return [...circles.values()];
}

/** Folder → sibling folder that it imports → the first file that does. */
function siblingEdges(graph: ImportGraph): Map<string, Map<string, string>> {
  const edges = new Map<string, Map<string, string>>();
  for (const [file, targets] of graph) {
    for (const target of targets) {
      const pair = siblings(file, target);
      if (pair === undefined) continue;
      const [from, to] = pair;
      const known = edges.get(from) ?? new Map<string, string>();
      edges.set(from, known);
      if (!known.has(to)) known.set(to, file);
    }
  }
  return edges;
}

function siblings(file: string, target: string): [string, string] | undefined {
  const a = file.split('/');
  const b = target.split('/');
  let depth = 0;
  while (a[depth] === b[depth] && depth < a.length) depth += 1;
  if (depth >= a.length - 1 || depth >= b.length - 1) return undefined;
  return [a.slice(0, depth + 1).join('/'), b.slice(0, depth + 1).join('/')];
}

/** The shortest way from a node back to itself. Empty when there is none. */
function findCircle(edges: Edges, start: string): string[] {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
    for (const next of edges.get(node)?.keys() ?? []) {
      if (next === start) return pathTo(node, cameFrom, start);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, node);
      queue.push(next);
    }
  }
  return [];
}

function pathTo(last: string, cameFrom: ReadonlyMap<string, string>, start: string): string[] {
  const path = [last];
  for (let step = last; step !== start;) {
    step = cameFrom.get(step) ?? start;
    path.unshift(step);
  }
  return path;
}
