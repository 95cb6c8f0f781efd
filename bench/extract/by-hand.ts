import { parse, type DefaultTreeAdapterTypes } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((attr) => attr.name === name)?.value;
}

function textOf(node: Node): string {
  if ('value' in node) return node.value;
  let text = '';
  if ('childNodes' in node) {
    for (const child of node.childNodes) if (child.nodeName !== '#comment') text += textOf(child);
  }
  return text;
}

export interface HandMade {
  title?: string;
  heading?: string;
  lang?: string;
  description?: string;
  image?: string;
  canonical?: string;
  published?: string;
  links: string[];
  images: string[];
  headings: string[];
  paragraphs: string[];
  entries: string[];
}

function isEntry(element: Element): boolean {
  const parent = element.parentNode;
  return parent?.nodeName === 'li' && 'parentNode' in parent && parent.parentNode?.nodeName === 'ul';
}

function visit(element: Element, found: HandMade): void {
  switch (element.tagName) {
    case 'title': {
      found.title ??= textOf(element).trim();
      break;
    }
    case 'h1': {
      found.heading ??= textOf(element).trim();
      break;
    }
    case 'html': {
      found.lang ??= attribute(element, 'lang');
      break;
    }
    case 'meta': {
      if (attribute(element, 'name') === 'description') found.description ??= attribute(element, 'content');
      if (attribute(element, 'property') === 'og:image') found.image ??= attribute(element, 'content');
      break;
    }
    case 'link': {
      if (attribute(element, 'rel') === 'canonical') found.canonical ??= attribute(element, 'href');
      break;
    }
    case 'time': {
      found.published ??= attribute(element, 'datetime');
      break;
    }
    case 'a': {
      const href = attribute(element, 'href');
      if (href !== undefined) found.links.push(href.trim());
      if (isEntry(element)) found.entries.push(textOf(element).trim());
      break;
    }
    case 'img': {
      const src = attribute(element, 'src');
      if (src !== undefined) found.images.push(src.trim());
      break;
    }
    case 'h2': {
      found.headings.push(textOf(element).trim());
      break;
    }
    case 'p': {
      found.paragraphs.push(textOf(element).trim());
      break;
    }
    default: {
      break;
    }
  }
}

function walk(node: Node, found: HandMade): void {
  if ('tagName' in node) visit(node, found);
  if ('childNodes' in node) for (const child of node.childNodes) walk(child, found);
}

/** The least that parse5 allows: its own tree and one walk that knows all twelve fields. */
export function extractByHand(html: string): HandMade {
  const found: HandMade = { links: [], images: [], headings: [], paragraphs: [], entries: [] };
  walk(parse(html, { scriptingEnabled: false }), found);
  return found;
}
