/**
 * A page to look at. The page is parsed into a document that is never shown: it loads and runs nothing, and selectors
 * are counted there. The frame shows a copy, built element by element from a list of harmless elements and attributes.
 * The copy is never parsed from text, so no second parser can interpret it differently.
 */
export interface Snapshot {
  /** The page as it was fetched. */
  source: Document;
  /** The element in the frame that shows an element of the source; of an external style sheet one that is empty at first. */
  shownOf: (element: Element) => Element | undefined;
  sourceOf: (shown: Element) => Element | undefined;
  /** True when the page has more elements than are shown. */
  isCut: boolean;
}

const MAX_ELEMENTS = 30_000;

const HTML = 'http://www.w3.org/1999/xhtml';
const SVG = 'http://www.w3.org/2000/svg';

/** Elements that load, run, lead away or change others; they are counted, but not shown. */
const LEFT_OUT =
  /^(script|template|iframe|frame|frameset|object|embed|applet|portal|fencedframe|base|link|meta|source|track|param|title|animate|animatemotion|animatetransform|set|use|image|feimage|mpath|discard|handler|listener)$/i;

/** Attributes that matter for how a page looks, or help to recognise an element. All others stay away. */
const KEPT =
  /^(class|id|style|lang|dir|title|alt|width|height|align|valign|bgcolor|color|face|size|border|cellpadding|cellspacing|colspan|rowspan|span|start|type|value|placeholder|checked|selected|disabled|open|label|rows|cols|min|max|low|high|optimum|datetime|role|hidden|nowrap|media|aria-[a-z]+|data-[\w.-]+|item(prop|scope|type|id))$/;
const KEPT_SVG =
  /^(d|x|y|x1|x2|y1|y2|cx|cy|r|rx|ry|points|viewbox|viewBox|fill|fill-[a-z]+|stroke|stroke-[a-z]+|transform|opacity|offset|stop-color|stop-opacity|preserveAspectRatio|gradientUnits|gradientTransform|clip-rule|text-anchor|font-[a-z]+)$/;

const FOCUSABLE = 'a, button, input, select, textarea, summary, audio, video, details';

const OWN_IMAGE = /^data:image\/(png|jpeg|gif|webp|avif);/i;

/**
 * Styles without anything that is loaded; the frame's policy would refuse it anyway. Each pattern takes what it looked
 * at, also when its end is missing: a hostile sheet costs linear time.
 */
export function cleanStyles(css: string): string {
  return css
    .replaceAll(/@import\b[^;]*;?/gi, '')
    .replaceAll(/(?:url|image-set|src)\((?!\s*['"]?data:(?:image|font)\/)[^)]*(?:\)|$)/gi, 'none')
    .replaceAll(/expression\s*\(|-moz-binding|behavior\s*:/gi, '');
}

function copyAttributes(from: Element, to: Element, isSvg: boolean): void {
  for (const { name, value } of from.attributes) {
    if (name === 'style') to.setAttribute('style', cleanStyles(value));
    else if (KEPT.test(name) || (isSvg && KEPT_SVG.test(name) && !/url\(/i.test(value)))
      to.setAttribute(name, value);
  }
}

function createShown(element: Element, frame: Document): Element | undefined {
  const name = element.localName;
  const isSvg = element.namespaceURI === SVG;
  if (LEFT_OUT.test(name) || !(isSvg || element.namespaceURI === HTML)) return undefined;
  // A name that only a parser can make, and no script: shown as a plain box.
  const safeName = /^[a-z][a-z0-9-]*$/i.test(name) ? name : 'span';
  const shown = frame.createElementNS(isSvg ? SVG : HTML, safeName);
  copyAttributes(element, shown, isSvg);
  if (name === 'img') {
    const src = element.getAttribute('src') ?? '';
    if (OWN_IMAGE.test(src)) shown.setAttribute('src', src);
  }
  if (element.matches(FOCUSABLE)) shown.setAttribute('tabindex', '-1');
  if (name === 'details') shown.setAttribute('open', '');
  return shown;
}

/** Makes the page and shows it in the frame's document, in place of the previous content. */
export function renderSnapshot(html: string, frame: Document): Snapshot {
  const source = new DOMParser().parseFromString(html, 'text/html');
  const toShown = new WeakMap<Element, Element>();
  const toSource = new WeakMap<Element, Element>();
  let count = 0;

  const link = (element: Element, shown: Element): void => {
    toShown.set(element, shown);
    toSource.set(shown, element);
  };
  const copyChildren = (from: ParentNode, to: Element): void => {
    for (const node of from.childNodes) {
      if (node.nodeType === Node.TEXT_NODE) {
        const isStyle = to.localName === 'style';
        to.append(isStyle ? cleanStyles(node.textContent ?? '') : (node.textContent ?? ''));
      } else if (node instanceof Element && count < MAX_ELEMENTS) {
        const shown = createShown(node, frame);
        if (shown === undefined) continue;
        count += 1;
        link(node, shown);
        copyChildren(node, shown);
        to.append(shown);
      }
    }
  };

  const { head, body, documentElement } = frame;
  for (const element of head.querySelectorAll('style:not([data-own])')) element.remove();
  for (const attribute of [...body.attributes, ...documentElement.attributes]) {
    attribute.ownerElement?.removeAttribute(attribute.name);
  }
  body.replaceChildren();
  // Style sheets of the body follow those of the head, in their order.
  for (const style of source.querySelectorAll('head style, link[rel~="stylesheet" i]')) {
    const shown = frame.createElement('style');
    shown.media = style.getAttribute('media') ?? '';
    shown.append(cleanStyles(style.textContent ?? ''));
    toShown.set(style, shown);
    head.append(shown);
  }
  copyAttributes(source.documentElement, documentElement, false);
  copyAttributes(source.body, body, false);
  link(source.documentElement, documentElement);
  link(source.body, body);
  copyChildren(source.body, body);
  return {
    source,
    shownOf: (element) => toShown.get(element),
    sourceOf: (shown) => toSource.get(shown),
    isCut: count >= MAX_ELEMENTS,
  };
}

/**
 * The frame's initial document. Its own policy forbids scripts and loading, in addition to the sandbox and the
 * dashboard's policy.
 */
export const EMPTY_FRAME = `<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'"><style data-own>
/* Pages hide themselves until their scripts have run. */
html, body { visibility: visible !important; opacity: 1 !important; display: block !important; }
html { background: #fff; color: #111; color-scheme: light; overflow: hidden; }
:where(body) { font: 15px/1.5 system-ui, sans-serif; margin: 12px; }
:where(a) { color: #1a4f9c; text-decoration: underline; }
:where(img:not([src])) { display: inline-block; min-width: 24px; min-height: 18px; background: #e9e7e2; color: #777; font-size: 11px; object-fit: none; }
:where(img:not([width])) { max-width: 100%; }
:where(svg:not([width])) { max-width: 64px; max-height: 64px; }
* { animation: none !important; transition: none !important; }
</style></head><body></body></html>`;
