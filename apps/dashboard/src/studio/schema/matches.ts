import { fieldAt, withoutAttribute, type Draft, type FieldPath } from './draft.ts';
import { readSources, type SourceText } from './sources.ts';

/** Elements of the page that a field reads, and the rows that they lie in. */
export interface FieldMatches {
  rows: Element[];
  matches: Element[];
}

const NOTHING: FieldMatches = { rows: [], matches: [] };

function evaluate(root: Node, xpath: string): Element[] {
  const page = root.ownerDocument ?? (root as Document);
  const found = page.evaluate(xpath, root, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
  return Array.from({ length: found.snapshotLength }, (_, index) => found.snapshotItem(index)).flatMap(
    (node) => {
      if (node instanceof Element) return [node];
      // A path may end at an attribute or a text: the outline shows its element.
      const owner = node instanceof Attr ? node.ownerElement : node?.parentElement;
      return owner ? [owner] : [];
    },
  );
}

/**
 * What a selector matches; nothing while it is no selector of this browser. Within an element all of it is relative to
 * that, as in the engine: `> a` begins at its children, `:scope` is the element itself.
 */
export function queryAll(root: ParentNode, selector: string): Element[] {
  const isInside = root instanceof Element;
  if (isInside && selector.trim() === ':scope') return [root];
  const isRelative = isInside && !/:scope|,/.test(selector);
  try {
    return [...root.querySelectorAll(isRelative ? `:scope ${selector}` : selector)];
  } catch {
    return [];
  }
}

/** A suggested selector as a source: only an XPath begins with a slash. */
export function sourceOf(selector: string): SourceText {
  return { kind: selector.startsWith('/') ? 'xpath' : 'css', text: selector };
}

/** What one source matches. */
export function select(root: ParentNode & Node, { kind, text }: SourceText): Element[] {
  if (kind !== 'xpath') return queryAll(root, withoutAttribute(text));
  try {
    return evaluate(root, text);
  } catch {
    // The engine's dialect has a few expressions that browsers don't know.
    return [];
  }
}

/** The first source with a match decides, as in the engine. A source that only the engine can read shows no outline. */
function selectFirst(root: ParentNode & Node, sources: readonly SourceText[]): Element[] {
  for (const source of sources) {
    const found = select(root, source);
    if (found.length > 0) return found;
  }
  return [];
}

/** The elements that a field matches in the page, for the outlines. */
export function findMatches(draft: Draft, path: FieldPath, page: Document): FieldMatches {
  let roots: (ParentNode & Node)[] = [page];
  let result = NOTHING;
  for (let length = 1; length <= path.length; length += 1) {
    const field = fieldAt(draft, path.slice(0, length));
    if (!field) return NOTHING;
    const sources = readSources(field).filter(
      ({ kind, text }) => (kind === 'css' || kind === 'xpath') && text !== '',
    );
    if (sources.length === 0) {
      if (field.fields === undefined) return { rows: result.matches, matches: [] };
      continue;
    }
    const matches = roots.flatMap((root) => {
      const found = selectFirst(root, sources);
      return field.take === 'all' ? found : found.slice(0, 1);
    });
    result = { rows: length === 1 ? [] : result.matches, matches };
    roots = matches;
  }
  return result;
}
