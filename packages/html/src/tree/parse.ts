import { Parser } from 'parse5';
import { createTreeAdapter, type TreeMap } from './adapter.ts';
import { composeShadowRoots } from './compose.ts';
import { createDocument, type PageDocument } from './document.ts';
import { writeFast } from './fast-tokenizer.ts';
import type { TreeElement, TreeRoot } from './tree.ts';

function parseOnce(text: string, encoding: string): PageDocument {
  const templates = new Map<TreeElement, TreeRoot>();
  const parser = new Parser<TreeMap>({
    treeAdapter: createTreeAdapter(templates),
    scriptingEnabled: false,
    sourceCodeLocationInfo: false,
  });
  writeFast(parser, text);
  return createDocument(parser.document, templates, encoding);
}

/**
 * Parses a page like a browser with scripting disabled, so that <noscript> becomes elements.
 * @param encoding of the bytes that `text` was decoded from
 * @param composed whether open declarative shadow roots stand inside their hosts; without, they are templates
 * @throws PageRejected when the page exceeds the limits on depth, nodes or attributes
 */
export function parseHtml(text: string, encoding = 'UTF-8', { composed = true } = {}): PageDocument {
  const document = parseOnce(text, encoding);
  if (!composed || document.templates.size === 0) return document;
  const source = composeShadowRoots(document);
  return source === undefined ? document : parseOnce(source, encoding);
}
