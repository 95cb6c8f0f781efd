import { cellText } from '../../format/format.ts';
import { findMatches, queryAll } from '../schema/matches.ts';
import { fieldAt, selectorsOf, type Draft, type FieldPath } from '../schema/draft.ts';
import type { FieldTrace } from '../extraction/protocol.ts';

/** How far a selector got: its longest beginning that matches something. */
export interface Reach {
  /** Empty when not even its first part matches. */
  reached: string;
  count: number;
  missing: string;
}

/** A step of a selector: all that stands between two combinators. */
const STEP = /(?:\[(?:"[^"]*"|'[^']*'|[^\]])*\]|\((?:[^()]|\([^()]*\))*\)|[^\s>+~])+/g;

/** Cuts a selector between its steps: `.a > .b .c` → `.a`, `.a > .b`, `.a > .b .c`. */
function beginnings(selector: string): string[] {
  return [...selector.matchAll(STEP)].map(({ 0: step, index }) => selector.slice(0, index + step.length));
}

/** Finds the part at which a selector without a match stops matching. */
export function findReach(selector: string, root: ParentNode): Reach | undefined {
  if (selector.includes(',')) return undefined;
  let reached = '';
  let count = 0;
  for (const part of beginnings(selector)) {
    let found: number;
    try {
      found = root.querySelectorAll(part).length;
    } catch {
      return undefined;
    }
    if (found === 0) return { reached, count, missing: selector.slice(reached.length).trim() };
    reached = part;
    count = found;
  }
  return undefined;
}

/** An element with a class similar to the missing one: `.price` → `.price-sold-out`. */
export function findNear(selector: string, root: ParentNode): string | undefined {
  const wanted = /\.([\w-]+)(?:\[[^\]]*\])?$/.exec(selector)?.[1];
  const stem = wanted?.split(/[-_]/, 1)[0];
  if (wanted === undefined || stem === undefined || stem.length < 3) return undefined;
  for (const element of root.querySelectorAll(`[class*="${stem}"]`)) {
    const name = [...element.classList].find((one) => one !== wanted && one.includes(stem));
    if (name !== undefined) return `.${CSS.escape(name)}`;
  }
  return undefined;
}

/** Where a field is looked for and not found: the page, or for a column the first row without it. */
function rootWithout(draft: Draft, path: FieldPath, page: Document): Document | Element | undefined {
  if (path.length === 1) return page;
  const selectors = selectorsOf(fieldAt(draft, path) ?? {});
  return findMatches(draft, path.slice(0, -1), page).matches.find((row) =>
    selectors.every((selector) => queryAll(row, selector).length === 0),
  );
}

/** Sentences that explain why a field has no value on a page, and a selector that may help. */
export function explainEmpty(
  trace: FieldTrace | undefined,
  { draft, path, page }: { draft: Draft; path: FieldPath; page: Document | undefined },
): { sentences: string[]; reach: Reach | undefined; near: string | undefined } {
  const sentences: string[] = [];
  let reach: Reach | undefined;
  let near: string | undefined;
  const selectors = selectorsOf(fieldAt(draft, path) ?? {});
  const root = page && rootWithout(draft, path, page);
  const where = path.length === 1 ? 'the page' : 'the row';
  for (const { selector: label, matched, won, raw, reason } of trace?.sources ?? []) {
    if (matched === 0) {
      const selector = selectors.find((text) => label.includes(text));
      const found = root && selector !== undefined ? findReach(selector, root) : undefined;
      reach ??= path.length === 1 ? found : undefined;
      near ??= root && selector !== undefined ? findNear(selector, root) : undefined;
      if (found && found.reached !== '') {
        sentences.push(
          `${label} matched nothing. ${found.reached} matches ${found.count} element${found.count === 1 ? '' : 's'}, but none has ${found.missing}.`,
        );
      } else if (near === undefined) sentences.push(`${label} matched nothing.`);
      else sentences.push(`${label} matched nothing; ${where} has ${near}.`);
    } else if (!won) {
      const shown = raw[0] == null ? '' : ` (“${cellText(raw[0]).slice(0, 60)}”)`;
      const because = reason ? `: ${reason}` : '';
      sentences.push(`${label} matched ${matched}${shown}, but gave no value${because}.`);
    }
  }
  if (sentences.length === 0 && trace?.reason !== undefined) sentences.push(`${trace.reason}.`);
  if (sentences.length === 0) sentences.push('The page has no value here.');
  return { sentences, reach, near };
}
