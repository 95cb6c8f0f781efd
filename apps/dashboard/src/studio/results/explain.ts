import { fieldAt, selectorsOf, type Draft, type FieldPath } from '../fields/draft.ts';
import type { FieldTrace } from '../extraction/protocol.ts';

/** How far a selector got: its longest beginning that matches something. */
export interface Reach {
  selector: string;
  /** Empty when not even its first part matches. */
  reached: string;
  count: number;
  missing: string;
}

/** Cuts a selector between its steps: `.a > .b .c` → `.a`, `.a > .b`, `.a > .b .c`. */
function beginnings(selector: string): string[] {
  const cuts: string[] = [];
  let depth = 0;
  let isQuoted = false;
  for (const [index, letter] of [...selector].entries()) {
    if (letter === '"' || letter === "'") isQuoted = !isQuoted;
    else if (!isQuoted && '[('.includes(letter)) depth += 1;
    else if (!isQuoted && '])'.includes(letter)) depth -= 1;
    else if (!isQuoted && depth === 0 && /[\s>+~]/.test(letter)) {
      const part = selector.slice(0, index).trim().replace(/[\s>+~]+$/, '');
      if (part !== '' && part !== cuts.at(-1)) cuts.push(part);
    }
  }
  return [...cuts, selector];
}

/** Finds where a selector that matches nothing stops to match. */
export function findReach(selector: string, root: ParentNode): Reach | undefined {
  if (selector.includes(',')) return undefined;
  let reached = { text: '', count: 0 };
  for (const part of beginnings(selector)) {
    let count = 0;
    try {
      count = root.querySelectorAll(part).length;
    } catch {
      return undefined;
    }
    if (count === 0) {
      return {
        selector,
        reached: reached.text,
        count: reached.count,
        missing: selector.slice(reached.text.length).trim(),
      };
    }
    reached = { text: part, count };
  }
  return undefined;
}

/** One sentence after another on why a field has no value on a page. */
export function explainEmpty(
  trace: FieldTrace | undefined,
  { draft, path, page }: { draft: Draft; path: FieldPath; page: Document | undefined },
): { sentences: string[]; reach: Reach | undefined } {
  const sentences: string[] = [];
  let reach: Reach | undefined;
  const isTop = path.length === 1;
  const field = fieldAt(draft, path);
  for (const source of trace?.sources ?? []) {
    const label = source.selector;
    if (source.matched === 0) {
      const selector = selectorsOf(field ?? {}).find((text) => label.includes(text));
      const found = page && isTop && selector !== undefined ? findReach(selector, page) : undefined;
      reach ??= found;
      if (found && found.reached !== '') {
        sentences.push(
          `${label} matched nothing. ${found.reached} matches ${found.count} element${found.count === 1 ? '' : 's'}, but none has ${found.missing}.`,
        );
      } else sentences.push(`${label} matched nothing.`);
    } else if (!source.won) {
      const raw = source.raw[0];
      const shown = raw === undefined || raw === null ? '' : ` (“${String(raw).slice(0, 60)}”)`;
      const what = `${label} matched ${source.matched}${shown}`;
      sentences.push(`${what}, but gave no value${source.reason ? `: ${source.reason}` : ''}.`);
    }
  }
  if (sentences.length === 0 && trace?.reason !== undefined) sentences.push(`${trace.reason}.`);
  if (sentences.length === 0) sentences.push('The page has nothing here.');
  return { sentences, reach };
}
