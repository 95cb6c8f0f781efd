import { matchesUrlPattern } from '@gleaner/contracts';
import { parseJsonText } from '../json/loose-value.ts';
import type { Json } from '../json/jsonpath.ts';
import type { PageState } from './page-state.ts';

/** A response that the page loaded; without a value when it is not JSON. */
export interface CapturedJson {
  value: Json | undefined;
}

/** The responses whose address fits the pattern, in the order they came. Each is read once for all fields of a page. */
export function capturedJson(state: PageState, pattern: string): CapturedJson[] {
  return (state.page.captures ?? []).flatMap((capture) => {
    if (!matchesUrlPattern(pattern, capture.url)) return [];
    let known = state.captured.get(capture);
    if (known === undefined) {
      known = { value: parseJsonText(capture.json.replace(/^\uFEFF/, '').trim()) };
      state.captured.set(capture, known);
    }
    return [known];
  });
}
