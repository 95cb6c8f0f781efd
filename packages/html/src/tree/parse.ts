import { Parser } from 'parse5';
import { createTreeAdapter, type TreeMap } from './adapter.ts';
import { createDocument, type PageDocument } from './document.ts';
import { writeFast } from './fast-tokenizer.ts';
import type { TreeElement, TreeRoot } from './tree.ts';

/**
 * Parses as a browser with scripts off does, so that <noscript> is read.
 * @throws PageRejected past the limits on depth, nodes and attributes.
 */
export function parseHtml(text: string): PageDocument {
  const templates = new Map<TreeElement, TreeRoot>();
  const parser = new Parser<TreeMap>({
    treeAdapter: createTreeAdapter(templates),
    scriptingEnabled: false,
    sourceCodeLocationInfo: false,
  });
  writeFast(parser, text);
  return createDocument(parser.document, templates);
}
