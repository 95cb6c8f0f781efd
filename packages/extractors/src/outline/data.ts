import { dataLeaves, jsonPathOf } from '../suggest/candidates/data.ts';
import type { PageModel } from '../suggest/page/page-model.ts';
import { clip } from './clip.ts';
import type { DataOutline } from './types.ts';

const MAX_ROOTS = 12;
const MAX_KEYS = 30;
const SAMPLE_LENGTH = 100;

/** The page's JSON-LD, microdata and embedded JSON: paths and sample values; of a list, its first element. */
export function dataOf(model: PageModel): DataOutline[] {
  const found = new Map<object, { outline: DataOutline; values: Map<string, string> }>();
  for (const { root, path, raw } of dataLeaves(model)) {
    let entry = found.get(root);
    if (entry === undefined) {
      if (found.size >= MAX_ROOTS) break;
      const values = new Map<string, string>();
      const outline = { kind: root.kind, script: root.script ?? null, path: root.path, values: {} };
      entry = { outline, values };
      found.set(root, entry);
    }
    if (entry.values.size >= MAX_KEYS || path.some((part) => typeof part === 'number' && part > 0)) continue;
    entry.values.set(clip(jsonPathOf(path), 200), clip(raw, SAMPLE_LENGTH));
  }
  return [...found.values()].map(({ outline, values }) => ({
    ...outline,
    values: Object.fromEntries(values),
  }));
}
