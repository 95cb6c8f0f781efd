import { matchesUrlPattern } from '@gleaner/contracts/parser-schema';
import { parseJsonText } from '../json/loose-value.ts';
import type { CapturedJson, PageState } from './page-state.ts';

/** The responses with an address that matches the pattern, in order of arrival. Each is parsed once per page. */
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
