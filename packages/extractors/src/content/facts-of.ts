import { type PageDocument, attributeInAnyCase, attributeOf, elementsByTag } from '@gleaner/html';
import type { Json } from '../json/jsonpath.ts';
import type { Page } from '../page.ts';

/** What the facts of a page are read from. */
export interface FactsOf {
  readonly page: Page;
  readonly document: PageDocument;
  readonly base: string | undefined;
  readonly language: () => string | undefined;
  /** The entities of the page's JSON-LD, then of its microdata, which are read when they are needed. */
  readonly entities: () => readonly Json[];
  readonly meta: (name: string) => readonly string[];
}

/** The language that the page names, as it is written: `de-AT`. */
export function readLanguage(document: PageDocument): string | undefined {
  const [html] = elementsByTag(document, 'html');
  const lang = html && (attributeOf(html, 'lang') ?? attributeOf(html, 'xml:lang'));
  if (lang?.trim()) return lang.trim();
  const meta = elementsByTag(document, 'meta').find(
    (element) => attributeInAnyCase(element, 'http-equiv')?.toLowerCase() === 'content-language',
  );
  return meta && attributeOf(meta, 'content')?.split(',', 1)[0]?.trim();
}
