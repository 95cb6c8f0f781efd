import { Parser } from 'htmlparser2';
import { PAGE_LIMITS } from '../limits.ts';
import { tooMany } from './adapter.ts';
import { createDocument, type PageDocument } from './document.ts';
import {
  appendNode,
  COMMENT,
  isText,
  TEXT,
  TreeData,
  TreeRoot,
  XmlElement,
  type TreeAttribute,
  type TreeNode,
  type TreeParent,
} from './tree.ts';

/**
 * Parses an XML page as far as it goes, also where it is not well-formed. CDATA is text. A document type and its entities
 * are passed over: beyond the five of XML and numbers, none is resolved.
 * @throws PageRejected when the page exceeds the limits on depth, nodes or attributes
 */
export function parseXml(text: string, encoding = 'UTF-8'): PageDocument {
  const root = new TreeRoot();
  const open: TreeParent[] = [root];
  let nodes = 0;
  let totalAttributes = 0;
  let attributes: TreeAttribute[] = [];

  const add = (node: TreeNode): void => {
    nodes += 1;
    if (nodes > PAGE_LIMITS.nodes) throw tooMany('nodes', PAGE_LIMITS.nodes);
    appendNode(open.at(-1) ?? root, node);
  };
  const addText = (data: string): void => {
    const last = open.at(-1)?.last;
    if (isText(last)) last.data += data;
    else if (open.length > 1) add(new TreeData(TEXT, data));
  };

  const parser = new Parser(
    {
      onopentagname() {
        attributes = [];
      },
      onattribute(name, value) {
        totalAttributes += 1;
        if (attributes.length >= PAGE_LIMITS.attributes)
          throw tooMany('attributes on an element', PAGE_LIMITS.attributes);
        if (totalAttributes > PAGE_LIMITS.totalAttributes)
          throw tooMany('attributes', PAGE_LIMITS.totalAttributes);
        attributes.push({ name, value });
      },
      onopentag(name) {
        if (open.length > PAGE_LIMITS.depth) throw tooMany('levels', PAGE_LIMITS.depth);
        const element = new XmlElement(name, attributes);
        add(element);
        open.push(element);
      },
      ontext: addText,
      oncomment: (data) => add(new TreeData(COMMENT, data)),
      // In XML mode a CDATA section arrives as text.
      onclosetag() {
        if (open.length > 1) open.pop();
      },
    },
    { xmlMode: true },
  );
  parser.end(text.replaceAll('\r\n', '\n'));
  return createDocument(root, new Map(), encoding);
}

const XML_TYPE = /^(?:(?:application|text)\/xml|[\w.-]+\/[\w.-]+\+xml)\s*(?:;|$)/i;
const NO_XML_TYPE = /^(?!text\/html|text\/plain)[\w.+-]+\/[\w.+-]+/i;
/** What stands before the root: a declaration, instructions, comments, a document type. */
const ROOT =
  /^\uFEFF?\s*(?:<\?[^>]{0,2000}>\s*|<!--[^]{0,2000}?-->\s*|<!doctype\b[^>[]{0,2000}(?:\[[^\]]{0,20000}\]\s*)?>\s*){0,50}<([\w:-]{1,100})/i;

/**
 * Whether the page is XML to be read as such: by its type, or as HTML or without a type where it begins with `<?xml`. XHTML
 * is read as HTML, and so is what has the root element `html`.
 */
export function isXml(text: string, contentType: string | undefined): boolean {
  const type = contentType?.trim() ?? '';
  if (/^application\/xhtml\+xml/i.test(type)) return false;
  if (!XML_TYPE.test(type) && (NO_XML_TYPE.test(type) || !/^\uFEFF?\s*<\?xml\s/.test(text.slice(0, 200))))
    return false;
  const root = ROOT.exec(text.slice(0, 32_000))?.[1];
  return root !== undefined && !/^(?:\w+:)?html$/i.test(root);
}

/** The text of a page as it is read without its type too: XML that has no declaration gets one. */
export function withXmlDeclaration(text: string, contentType: string | undefined): string {
  return isXml(text, contentType) && !isXml(text, undefined) ? `<?xml version="1.0"?>\n${text}` : text;
}
