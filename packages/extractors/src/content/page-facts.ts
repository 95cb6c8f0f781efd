import type { PageFact } from '@gleaner/contracts';
import {
  HTML_NAMESPACE,
  type PageDocument,
  attributeInAnyCase,
  attributeOf,
  elementsByTag,
  innerHtmlOf,
  readPageText,
  readTextOf,
  resolveUrl,
} from '@gleaner/html';
import type { Json } from '../json/jsonpath.ts';
import type { Page } from '../page.ts';
import { authorOf, descriptionOf, imageOf, modifiedOf, publishedOf, type Stated } from './authored.ts';
import { mainContentOf } from './main-content.ts';
import { markdownOf } from './markdown.ts';

/** What the facts of a page are read from. */
export interface FactsOf {
  page: Page;
  document: PageDocument;
  base: string | undefined;
  /** The page's structured data, which is read when it is needed. */
  entities: () => readonly Json[];
  meta: (name: string) => readonly string[];
}

function titleOf(document: PageDocument): string | undefined {
  const title = elementsByTag(document, 'title').find(({ namespace }) => namespace === HTML_NAMESPACE);
  return title && readTextOf(document, title);
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

/** The absolute http and https addresses that the page links to, each once, in document order. */
function linksOf({ document, base }: FactsOf): string[] {
  const links = new Set<string>();
  for (const element of document.elements) {
    if (element.localName !== 'a' && element.localName !== 'area') continue;
    const href = attributeOf(element, 'href');
    const url = href === undefined ? undefined : resolveUrl(href, base);
    if (url !== undefined && (/^https?:/i.test(url) || !/^[a-z][a-z0-9+.-]*:/i.test(url))) links.add(url);
  }
  return [...links];
}

function contentOf({ document, base }: FactsOf): string {
  const content = mainContentOf(document);
  return markdownOf(document, content.elements, base, content);
}

/** Characters of the responses of a page together; those beyond are left out. */
const MAX_RESPONSE_TEXT = 4_000_000;

/** The JSON responses that the page loaded, each as the JSON text of its address and body. */
function responsesOf({ captures = [] }: Page): string[] {
  let length = 0;
  return captures.flatMap(({ url, json }) => {
    length += json.length;
    return length > MAX_RESPONSE_TEXT || !/^\s*[[{]/.test(json) ? [] : [JSON.stringify({ url, body: json })];
  });
}

function statedOf({ page, document, base, entities, meta }: FactsOf): Stated {
  return {
    document,
    base,
    url: page.finalUrl ?? page.url,
    language: readLanguage(document),
    fetchedAt: page.fetchedAt,
    entities: entities(),
    meta,
  };
}

function listed(value: string | number | undefined): (string | number)[] {
  return value === undefined ? [] : [value];
}

/** The values of one fact about the page; empty when the page doesn't state it. */
export function pageFact(fact: PageFact, of: FactsOf): readonly (string | number)[] {
  const { page, document } = of;
  switch (fact) {
    case 'url': {
      return listed(page.url);
    }
    case 'final_url': {
      return listed(page.finalUrl ?? page.url);
    }
    case 'status': {
      return listed(page.status);
    }
    case 'fetched_at': {
      return listed(page.fetchedAt);
    }
    case 'screenshot':
    case 'pdf': {
      return listed(page.files?.[fact]);
    }
    case 'title': {
      return listed(titleOf(document));
    }
    case 'language': {
      return listed(readLanguage(document));
    }
    case 'text': {
      return listed(readPageText(document));
    }
    case 'markdown': {
      return listed(contentOf(of));
    }
    case 'html': {
      return listed(innerHtmlOf(document, document.root));
    }
    case 'links': {
      return linksOf(of);
    }
    case 'responses': {
      return responsesOf(page);
    }
    case 'published': {
      return listed(publishedOf(statedOf(of)));
    }
    case 'modified': {
      return listed(modifiedOf(statedOf(of)));
    }
    case 'author': {
      return listed(authorOf(statedOf(of)));
    }
    case 'description': {
      return listed(descriptionOf(statedOf(of)));
    }
    case 'image': {
      return listed(imageOf(statedOf(of)));
    }
  }
}
