import type { html, Token, TreeAdapter, TreeAdapterTypeMap } from 'parse5';
import { PAGE_LIMITS } from '../limits.ts';
import {
  appendNode,
  attributeOf,
  COMMENT,
  detachNode,
  ELEMENT,
  insertNodeBefore,
  isText,
  TEXT,
  TreeData,
  TreeElement,
  TreeRoot,
  type AnyNode,
  type TreeNode,
  type TreeParent,
} from './tree.ts';

/** Thrown when the page exceeds a limit. Clients see its message. */
export class PageRejected extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'PageRejected';
  }
}

export type TreeMap = TreeAdapterTypeMap<
  AnyNode,
  TreeParent,
  TreeNode,
  TreeRoot,
  TreeRoot,
  TreeElement,
  TreeData,
  TreeData,
  TreeElement,
  TreeData
>;

type Adapter = TreeAdapter<TreeMap>;
export function tooMany(what: string, limit: number): PageRejected {
  return new PageRejected(`the page has more than ${limit.toLocaleString('en')} ${what}`);
}

/** What parse5 reads of the tree; it keeps no source locations and no names of document types. */
const READERS = {
  getFirstChild: (parent) => parent.first,
  getChildNodes(parent) {
    const children: TreeNode[] = [];
    for (let node = parent.first; node !== null; node = node.next) children.push(node);
    return children;
  },
  getParentNode: (node) => node.parent,
  getAttrList: (element) => element.attributes,
  getTagName: (element) => element.localName,
  getNamespaceURI: (element) => element.namespace,
  getTextNodeContent: (text) => text.data,
  getCommentNodeContent: (comment) => comment.data,
  getDocumentTypeNodeName: () => '',
  getDocumentTypeNodePublicId: () => '',
  getDocumentTypeNodeSystemId: () => '',
  isTextNode: (node): node is TreeData => node.nodeType === TEXT,
  isCommentNode: (node): node is TreeData => node.nodeType === COMMENT,
  isDocumentTypeNode: (_node): _node is TreeData => false,
  isElementNode: (node): node is TreeElement => node.nodeType === ELEMENT,
  setNodeSourceCodeLocation: () => undefined,
  getNodeSourceCodeLocation: () => undefined,
  updateNodeSourceCodeLocation: () => undefined,
} satisfies Partial<Adapter>;

/**
 * Adapts our tree to parse5, for one page. It counts nodes, depth and attributes and throws PageRejected above a limit.
 * `templates` receives the content of each <template>, which is not part of the tree, as in a browser.
 */
export function createTreeAdapter(templates: Map<TreeElement, TreeRoot>): Adapter {
  let depth = 0;
  let nodes = 0;
  let attributes = 0;

  const countNode = (): void => {
    nodes += 1;
    if (nodes > PAGE_LIMITS.nodes) throw tooMany('nodes', PAGE_LIMITS.nodes);
  };

  const createElement = (name: string, namespace: html.NS, attrs: Token.Attribute[]): TreeElement => {
    countNode();
    attributes += attrs.length;
    if (attrs.length > PAGE_LIMITS.attributes) {
      throw tooMany('attributes on one element', PAGE_LIMITS.attributes);
    }
    if (attributes > PAGE_LIMITS.totalAttributes) throw tooMany('attributes', PAGE_LIMITS.totalAttributes);
    return new TreeElement(name, namespace, attrs);
  };

  const createTextNode = (data: string): TreeData => {
    countNode();
    return new TreeData(TEXT, data);
  };

  const insertText = (parent: TreeParent, text: string): void => {
    const { last } = parent;
    if (last !== null && isText(last)) last.data += text;
    else appendNode(parent, createTextNode(text));
  };

  return {
    ...READERS,
    createDocument: () => new TreeRoot(),
    createDocumentFragment: () => new TreeRoot(),
    createElement,
    createCommentNode(data) {
      countNode();
      return new TreeData(COMMENT, data);
    },
    createTextNode,
    appendChild: appendNode,
    insertBefore: insertNodeBefore,
    detachNode,
    insertText,
    insertTextBefore(parent, text, reference) {
      const { prev } = reference;
      if (prev !== null && isText(prev)) prev.data += text;
      else insertNodeBefore(parent, createTextNode(text), reference);
    },
    adoptAttributes(element, attrs) {
      for (const attribute of attrs) {
        if (attributeOf(element, attribute.name) === undefined) element.attributes.push(attribute);
      }
    },
    setTemplateContent(template, content) {
      templates.set(template, content);
    },
    getTemplateContent: (template) => templates.get(template) ?? new TreeRoot(),
    setDocumentType: () => undefined,
    setDocumentMode(document, mode) {
      document.mode = mode;
    },
    getDocumentMode: (document) => document.mode,
    onItemPush() {
      depth += 1;
      if (depth > PAGE_LIMITS.depth) {
        throw new PageRejected(
          `the page is nested deeper than ${PAGE_LIMITS.depth.toLocaleString('en')} levels`,
        );
      }
    },
    onItemPop() {
      depth -= 1;
    },
  };
}
