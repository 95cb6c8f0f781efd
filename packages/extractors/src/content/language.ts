import { type PageDocument, attributeInAnyCase, attributeOf, elementsByTag } from '@gleaner/html';

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
