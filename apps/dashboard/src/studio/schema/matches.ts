import { fieldAt, selectorsOf, type Draft, type FieldPath } from './draft.ts';

/** Elements of the page that a field reads, and the rows that they lie in. */
export interface FieldMatches {
  rows: Element[];
  matches: Element[];
}

const NOTHING: FieldMatches = { rows: [], matches: [] };

/** The first selector with a match decides, as in the engine. A selector that only the engine knows shows nothing. */
export function selectFirst(root: ParentNode, selectors: readonly string[]): Element[] {
  for (const selector of selectors) {
    try {
      const found = [...root.querySelectorAll(selector)];
      if (found.length > 0) return found;
    } catch {
      // The engine's dialect has a few selectors that browsers don't know.
    }
  }
  return [];
}

/** What a field matches in the page, for the outlines. */
export function findMatches(draft: Draft, path: FieldPath, page: Document): FieldMatches {
  let roots: ParentNode[] = [page];
  let result = NOTHING;
  for (let length = 1; length <= path.length; length += 1) {
    const field = fieldAt(draft, path.slice(0, length));
    if (!field) return NOTHING;
    const selectors = selectorsOf(field);
    if (selectors.length === 0) {
      if (field.fields === undefined) return { rows: result.matches, matches: [] };
      continue;
    }
    const matches = roots.flatMap((root) => {
      const found = selectFirst(root, selectors);
      return field.take === 'all' ? found : found.slice(0, 1);
    });
    result = { rows: length === 1 ? [] : result.matches, matches };
    roots = matches;
  }
  return result;
}
