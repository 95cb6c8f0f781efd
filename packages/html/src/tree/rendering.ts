import { attributeOf, HTML_NAMESPACE, XmlElement, type TreeElement } from './tree.ts';

/** Elements that browsers show on lines of their own. */
const BLOCKS = new Set(
  (
    'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
    'footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup option p ' +
    'plaintext pre search section summary table tbody tfoot thead tr ul xmp'
  ).split(' '),
);

/** Elements that browsers never show, or show as something other than their text. */
const UNSEEN = new Set(
  (
    'annotation annotation-xml area audio base basefont canvas datalist defs desc head iframe link meta metadata ' +
    'noembed noframes noscript param rp script style symbol template textarea title video'
  ).split(' '),
);

const PREFORMATTED = new Set(['pre', 'textarea', 'listing', 'plaintext', 'xmp']);

/** Line ends that an element needs around it: 0 within a line, 1 for a block, 2 for a paragraph. */
export function linesAround({ localName, namespace }: TreeElement): 0 | 1 | 2 {
  if (namespace !== HTML_NAMESPACE) return 0;
  if (localName === 'p') return 2;
  return BLOCKS.has(localName) ? 1 : 0;
}

/** Whether the element preserves white space. */
export function isPreformatted({ localName }: TreeElement): boolean {
  return PREFORMATTED.has(localName);
}

const DISPLAY_NONE = /(?:^|;)\s*display\s*:\s*none\b/i;

/** Whether the text of the element is hidden now, though a script could show it. */
export function isConcealed(element: TreeElement): boolean {
  return !UNSEEN.has(element.localName) && isUnseen(element);
}

/** Whether a browser without the page's stylesheets would hide the element. */
export function isUnseen(element: TreeElement): boolean {
  if (element instanceof XmlElement) return false;
  if (UNSEEN.has(element.localName)) return true;
  const { attributes } = element;
  if (attributes.length === 0) return element.localName === 'dialog';
  for (const { name, value } of attributes) {
    if (name === 'hidden' && value.toLowerCase() !== 'until-found') return true;
    if (name === 'style' && value.length > 11 && DISPLAY_NONE.test(value)) return true;
  }
  return element.localName === 'dialog' && attributeOf(element, 'open') === undefined;
}
