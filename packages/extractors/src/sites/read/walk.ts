import { isObject } from '@gleaner/contracts/values';
import { type JsonObject } from './value.ts';

/** The limit on visited nodes, far above real pages. */
const MAX_NODES = 3_000_000;

/** Every object inside `root`, itself first, in document order. Stops at `MAX_NODES`. */
export function* objectsOf(root: unknown): Generator<JsonObject> {
  const stack: unknown[] = [root];
  for (let visited = 0; stack.length > 0 && visited < MAX_NODES; visited += 1) {
    const node = stack.pop();
    const isList = Array.isArray(node);
    if (!isList && !isObject(node)) continue;
    if (!isList) yield node;
    const children: unknown[] = isList ? node : Object.values(node);
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (typeof child === 'object' && child !== null) stack.push(child);
    }
  }
}

/** The first object inside `root` that the test accepts. */
export function findObject(root: unknown, test: (node: JsonObject) => boolean): JsonObject | undefined {
  for (const node of objectsOf(root)) if (test(node)) return node;
  return undefined;
}

/** Every value under one of the keys, in document order. */
export function* valuesUnder(root: unknown, ...keys: string[]): Generator<unknown> {
  for (const node of objectsOf(root)) {
    for (const key of keys) if (Object.hasOwn(node, key)) yield node[key];
  }
}

/** The first object under one of the keys. */
export function objectUnder(root: unknown, ...keys: string[]): JsonObject | undefined {
  for (const value of valuesUnder(root, ...keys)) if (isObject(value)) return value;
  return undefined;
}
