import { compileSelector, selectElements, type TreeElement } from '../suggest/page/dom.ts';
import type { PageModel } from '../suggest/page/page-model.ts';
import { cssOf } from '../suggest/page/path.ts';
import { pathsTo } from '../suggest/candidates/structural.ts';

const TRIES = 6;
const MAX_LENGTH = 200;

/** Finds selectors that match one element of the page; each selector runs once. */
export type SelectorFinder = (element: TreeElement, leastQuality: number) => string | undefined;

export function createSelectorFinder({ document }: PageModel): SelectorFinder {
  const known = new Map<string, readonly TreeElement[]>();
  const matchesOf = (css: string): readonly TreeElement[] => {
    let matches = known.get(css);
    if (matches === undefined) {
      matches = selectElements(compileSelector(css), document, null, 2);
      known.set(css, matches);
    }
    return matches;
  };
  return (element, leastQuality) =>
    pathsTo(element)
      .filter(({ quality, family }) => quality >= leastQuality && family !== 'position')
      .toSorted((a, b) => b.quality - a.quality)
      .slice(0, TRIES)
      .map(({ path }) => cssOf(path))
      .find((css) => {
        if (css.length > MAX_LENGTH) return false;
        const matches = matchesOf(css);
        return matches.length === 1 && matches[0] === element;
      });
}
