/** A frame whose page stands behind its element. */
export interface ComposedFrame {
  /** Its `<iframe>` or `<frame>`. */
  element: Element;
  /** Its committed address. */
  src: string;
  /** What its body holds. */
  html: string;
}

export interface WriteOptions {
  maxLength: number;
  /** Whether open shadow roots stand inside their hosts. */
  composed: boolean;
  frames: ComposedFrame[];
  /** Whether the document is a frame's: its body alone, with absolute addresses. */
  isFrame: boolean;
}

/**
 * The current document as HTML with its shadow roots and frames, `null` when it is longer than allowed. Queries of links
 * are written in the page's encoding, because the text is UTF-8. Runs in the page, so it names nothing of this module.
 */
export function writeDocument({ maxLength, composed, frames, isFrame }: WriteOptions): string | null {
  const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/;
  const RAW = /^(?:style|script|xmp|iframe|noembed|noframes|noscript|plaintext)$/;
  const isLegacy = document.characterSet !== 'UTF-8';
  const parts: string[] = [];
  let left = maxLength;
  const put = (text: string): void => {
    left -= text.length;
    if (left < 0) throw new RangeError('too long');
    parts.push(text);
  };
  const escapeText = (text: string): string =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('\u00a0', '&nbsp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;');
  /** The address as the browser reads it, where the text alone would not say it. */
  const addressOf = (element: Element, name: string, value: string): string => {
    if (!/^(?:href|src|action|poster|data)$/.test(name) || /^\s*(?:#|data:|javascript:)/i.test(value))
      return value;
    const url: unknown = Reflect.get(element, name);
    if (typeof url !== 'string' || !/^https?:/.test(url)) return value;
    if (isFrame) return url;
    const query = value.indexOf('?');
    if (!isLegacy || query === -1 || !/[^\0-\x7f]/.test(value)) return value;
    const { search, hash } = new URL(url);
    return value.slice(0, query) + search + hash;
  };
  const openTag = (element: Element, name: string): string => {
    let tag = `<${name}`;
    for (const attribute of element.attributes) {
      const value = addressOf(element, attribute.name, attribute.value);
      tag += ` ${attribute.name}="${escapeText(value).replaceAll('"', '&quot;')}"`;
    }
    return `${tag}>`;
  };
  const writeFrame = (element: Element): void => {
    const frame = frames.find((known) => known.element === element);
    if (frame === undefined) return;
    put(
      `<gleaner-frame src="${escapeText(frame.src).replaceAll('"', '&quot;')}">${frame.html}</gleaner-frame>`,
    );
  };
  const childrenOf = (element: Element): readonly Node[] => {
    if (element instanceof HTMLTemplateElement) return [...element.content.childNodes];
    if (!composed) return [...element.childNodes];
    if (element instanceof HTMLSlotElement) {
      const assigned = element.assignedNodes();
      return assigned.length > 0 ? assigned : [...element.childNodes];
    }
    const { shadowRoot } = element;
    if (shadowRoot === null) return [...element.childNodes];
    // Scripts that no slot takes stay: pages keep data in them.
    const scripts = [...element.children].filter(
      (child) => child.localName === 'script' && child.assignedSlot === null,
    );
    return [...shadowRoot.childNodes, ...scripts];
  };
  const write = (node: Node, isRaw: boolean): void => {
    if (node instanceof Text) put(isRaw ? node.data : escapeText(node.data));
    else if (node instanceof Comment) put(`<!--${node.data}-->`);
    if (!(node instanceof Element)) return;
    const isHtml = node.namespaceURI === 'http://www.w3.org/1999/xhtml';
    const own = isHtml ? node.localName : node.tagName;
    // A parser leaves everything but frames out of a frameset.
    const replaced: Record<string, string> = { frame: 'iframe', frameset: 'body' };
    const name = isHtml ? (replaced[own] ?? own) : own;
    put(openTag(node, name));
    if (isHtml && VOID.test(name)) return;
    for (const child of childrenOf(node)) write(child, isHtml && RAW.test(name));
    put(`</${name}>`);
    writeFrame(node);
  };
  const { doctype, documentElement, body } = document;
  const elements = [...document.querySelectorAll('*')];
  const isPlain =
    !isFrame &&
    !isLegacy &&
    frames.length === 0 &&
    !(composed && elements.some(({ shadowRoot }) => shadowRoot !== null));
  const start = doctype === null || isFrame ? '' : new XMLSerializer().serializeToString(doctype);
  const whole = (): string | null => {
    const html = start + ((isFrame ? body : documentElement)?.outerHTML ?? '');
    return html.length > maxLength ? null : html;
  };
  if (isPlain) return whole();
  try {
    put(start);
    if (!isFrame) write(documentElement, false);
    else for (const child of body === null ? [] : childrenOf(body)) write(child, false);
    return parts.join('');
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // The page is longer than allowed, or nested so deeply that only the browser can write it.
    return left < 0 ? null : whole();
  }
}
