const PLACEHOLDER = /^(?:data:|about:|$)/;

/** The attribute with a picture's address: lazy pages keep it beside a placeholder. */
export function pictureAttribute(image: Pick<Element, 'getAttribute' | 'hasAttribute'>): string {
  const lazy = ['data-src', 'data-original', 'data-lazy-src'].find((name) => image.hasAttribute(name));
  return lazy !== undefined && PLACEHOLDER.test(image.getAttribute('src') ?? '') ? lazy : 'src';
}
