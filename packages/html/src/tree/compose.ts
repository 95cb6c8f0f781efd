import { innerHtmlOf } from './serialize.ts';
import type { PageDocument } from './document.ts';
import {
  appendNode,
  attributeOf,
  detachNode,
  HTML_NAMESPACE,
  isElement,
  type TreeElement,
  type TreeNode,
  type TreeParent,
  type TreeRoot,
} from './tree.ts';

type Templates = ReadonlyMap<TreeElement, TreeRoot>;

/** Elements beside custom ones that a browser gives a shadow root. */
const HOSTS = new Set(
  'article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '),
);

function isHost({ localName, namespace }: TreeElement): boolean {
  return namespace === HTML_NAMESPACE && (HOSTS.has(localName) || localName.includes('-'));
}

/** Whether the template declares an open shadow root of its parent. */
function isShadowRoot(template: TreeElement): boolean {
  if (attributeOf(template, 'shadowrootmode')?.trim().toLowerCase() !== 'open') return false;
  return isElement(template.parent) && isHost(template.parent);
}

/** The host's own shadow root: the first template that declares one. */
function rootOf(host: TreeElement, templates: Templates): TreeElement | undefined {
  if (!isHost(host)) return undefined;
  return childrenOf(host).find(
    (node): node is TreeElement => isElement(node) && templates.has(node) && isShadowRoot(node),
  );
}

function childrenOf(parent: TreeParent): TreeNode[] {
  const children: TreeNode[] = [];
  for (let node = parent.first; node !== null; node = node.next) children.push(node);
  return children;
}

function replaceChildren(parent: TreeParent, children: readonly TreeNode[]): void {
  for (const child of childrenOf(parent)) detachNode(child);
  for (const child of children) {
    detachNode(child);
    appendNode(parent, child);
  }
}

/** The host's children by the name of their slot; '' is the default slot. Comments stand in no slot. */
function groupBySlot(children: readonly TreeNode[]): Map<string, TreeNode[]> {
  const groups = new Map<string, TreeNode[]>();
  for (const child of children) {
    const name = isElement(child) ? (attributeOf(child, 'slot') ?? '') : '';
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [child]);
    else group.push(child);
  }
  return groups;
}

/** Fills each slot with the children of its name. The first slot of a name takes them; a slot that gets none keeps its own content. */
function fillSlots(parent: TreeParent, groups: Map<string, TreeNode[]>): void {
  for (const node of childrenOf(parent)) {
    if (!isElement(node)) continue;
    const name = node.localName === 'slot' ? (attributeOf(node, 'name') ?? '') : undefined;
    const group = name === undefined ? undefined : groups.get(name);
    if (name === undefined || group === undefined) fillSlots(node, groups);
    else {
      groups.delete(name);
      replaceChildren(node, group);
    }
  }
}

function isScript(node: TreeNode): boolean {
  return isElement(node) && node.localName === 'script';
}

/** Puts the shadow root inside its host. Scripts that no slot takes stay: pages keep data in them. */
function composeHost(host: TreeElement, template: TreeElement, root: TreeRoot): void {
  detachNode(template);
  const groups = groupBySlot(childrenOf(host));
  fillSlots(root, groups);
  const left = [...groups.values()].flat().filter(isScript);
  replaceChildren(host, [...childrenOf(root), ...left]);
}

function composeInside(parent: TreeParent, templates: Templates): void {
  if (isElement(parent)) {
    const template = rootOf(parent, templates);
    const root = template && templates.get(template);
    if (template !== undefined && root !== undefined) composeHost(parent, template, root);
  }
  for (const node of childrenOf(parent)) if (isElement(node)) composeInside(node, templates);
}

/**
 * The page's source with its open declarative shadow roots inside their hosts and the slots filled; undefined for a page
 * without any. It changes the tree, so the page is parsed again: readers see what is left after that.
 */
export function composeShadowRoots(document: PageDocument): string | undefined {
  const { root, templates, quirks } = document;
  if (![...templates.keys()].some(isShadowRoot)) return undefined;
  composeInside(root, templates);
  return (quirks ? '' : '<!DOCTYPE html>') + innerHtmlOf(document, root);
}
