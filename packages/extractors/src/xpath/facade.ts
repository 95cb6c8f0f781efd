import type { Element, IDomFacade, Node } from 'fontoxpath';
import {
  attributeOf,
  isElement,
  TEXT,
  COMMENT,
  type AnyNode,
  type TreeElement,
  type TreeNode,
} from '@gleaner/html';
import { spendReading } from '../limits.ts';

/** An attribute as an XPath node, one object per attribute and page, because XPath compares nodes by identity. */
export interface AttributeNode {
  readonly nodeType: 2;
  readonly localName: string;
  readonly name: string;
  readonly namespaceURI: null;
  readonly nodeName: string;
  readonly prefix: '';
  readonly value: string;
  readonly ownerElement: TreeElement;
}

export function isAttributeNode(item: unknown): item is AttributeNode {
  return typeof item === 'object' && item !== null && 'nodeType' in item && item.nodeType === 2;
}

export function isTreeNode(item: unknown): item is AnyNode {
  return typeof item === 'object' && item !== null && 'nodeType' in item && item.nodeType !== 2;
}

/** fontoxpath's node types are nominal, but it only returns nodes that it received from this facade. */
function asOurs(node: Node): AnyNode | AttributeNode {
  return node as AnyNode | AttributeNode;
}

function hasChildren(node: AnyNode | AttributeNode): node is TreeElement {
  return 'first' in node;
}

function matchesBucket(node: TreeNode, bucket: string | null | undefined): boolean {
  if (bucket == null) return true;
  if (bucket.startsWith('name-')) return isElement(node) && node.localName === bucket.slice(5);
  if (bucket === 'name' || bucket === 'type-1') return isElement(node);
  if (bucket === 'type-1-or-type-2') return isElement(node);
  if (bucket === 'type-3') return node.nodeType === TEXT;
  if (bucket === 'type-8') return node.nodeType === COMMENT;
  return bucket !== 'empty';
}

function along(
  start: TreeNode | null,
  direction: 'next' | 'prev',
  bucket: string | null | undefined,
): TreeNode | null {
  let node = start;
  while (node !== null && !matchesBucket(node, bucket)) node = node[direction];
  return node;
}

/** The page tree as XPath walks it. Templates are empty, as in a browser. */
export function createXPathFacade(): IDomFacade {
  const attributeNodes = new Map<TreeElement, AttributeNode[]>();

  const attributesOf = (element: TreeElement): AttributeNode[] => {
    const known = attributeNodes.get(element);
    if (known !== undefined) return known;
    const made = element.attributes.map(({ name, prefix, value }): AttributeNode => {
      const whole = prefix ? `${prefix}:${name}` : name;
      return {
        nodeType: 2,
        localName: whole,
        name: whole,
        nodeName: whole,
        namespaceURI: null,
        prefix: '',
        value,
        ownerElement: element,
      };
    });
    attributeNodes.set(element, made);
    return made;
  };

  const element = (node: Element): TreeElement => node as unknown as TreeElement;

  return {
    getAllAttributes: (node) => attributesOf(element(node)),
    getAttribute: (node, name) => attributeOf(element(node), name) ?? null,
    getChildNodes(node, bucket) {
      const ours = asOurs(node);
      const children: Node[] = [];
      if (!hasChildren(ours)) return children;
      for (let child: TreeNode | null = ours.first; child !== null; child = child.next) {
        if (matchesBucket(child, bucket)) children.push(child);
      }
      return children;
    },
    getData(node) {
      const ours = asOurs(node);
      const data = 'data' in ours ? ours.data : 'value' in ours ? ours.value : '';
      spendReading(data.length);
      return data;
    },
    getFirstChild(node, bucket) {
      const ours = asOurs(node);
      return hasChildren(ours) ? along(ours.first, 'next', bucket) : null;
    },
    getLastChild(node, bucket) {
      const ours = asOurs(node);
      return hasChildren(ours) ? along(ours.last, 'prev', bucket) : null;
    },
    getNextSibling(node, bucket) {
      const ours = asOurs(node);
      return 'next' in ours ? along(ours.next, 'next', bucket) : null;
    },
    getPreviousSibling(node, bucket) {
      const ours = asOurs(node);
      return 'prev' in ours ? along(ours.prev, 'prev', bucket) : null;
    },
    getParentNode(node) {
      const ours = asOurs(node);
      return 'ownerElement' in ours ? ours.ownerElement : ours.parent;
    },
  };
}
