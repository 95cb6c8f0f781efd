import { compile, selectAll, selectOne } from 'css-select';
import type { AnyNode, Element } from 'domhandler';
import { textContent } from 'domutils';
import { parse } from 'parse5';
import { adapter } from 'parse5-htmlparser2-tree-adapter';

function first(selector: string): (document: AnyNode) => Element | null {
  const query = compile<AnyNode, Element>(selector);
  return (document) => selectOne<AnyNode, Element>(query, document);
}

function all(selector: string): (document: AnyNode) => Element[] {
  const query = compile<AnyNode, Element>(selector);
  return (document) => selectAll<AnyNode, Element>(query, document);
}

const queries = {
  title: first('title'),
  heading: first('h1'),
  lang: first('html'),
  description: first('meta[name="description"]'),
  image: first('meta[property="og:image"]'),
  canonical: first('link[rel="canonical"]'),
  published: first('time'),
  links: all('a[href]'),
  images: all('img[src]'),
  headings: all('h2'),
  paragraphs: all('p'),
  entries: all('ul > li > a'),
};

function text(element: Element | null): string | undefined {
  return element === null ? undefined : textContent(element).trim();
}

/** parse5 with its htmlparser2 tree, css-select's compiled selectors. */
export function extractWithCssSelect(html: string): unknown {
  const document = parse(html, { treeAdapter: adapter, scriptingEnabled: false });
  return {
    title: text(queries.title(document)),
    heading: text(queries.heading(document)),
    lang: queries.lang(document)?.attribs['lang'],
    description: queries.description(document)?.attribs['content'],
    image: queries.image(document)?.attribs['content'],
    canonical: queries.canonical(document)?.attribs['href'],
    published: queries.published(document)?.attribs['datetime'],
    links: queries.links(document).map(({ attribs }) => attribs['href']),
    images: queries.images(document).map(({ attribs }) => attribs['src']),
    headings: queries.headings(document).map(text),
    paragraphs: queries.paragraphs(document).map(text),
    entries: queries.entries(document).map(text),
  };
}
