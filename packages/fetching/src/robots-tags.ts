/** Directives with a value after a colon. Before another colon stands a crawler's name. */
const WITH_VALUE = new Set(['unavailable_after', 'max-snippet', 'max-image-preview', 'max-video-preview']);

/** The directives of one header for a crawler: those before any name, and those after its own. */
function* directivesFor(header: string, product: string): Generator<string> {
  let isAddressed = true;
  for (const part of header.toLowerCase().split(',')) {
    const [, name = '', rest = part] = /^\s*([^\s:]+)\s*:(.*)$/.exec(part) ?? [];
    const isNamed = name !== '' && !WITH_VALUE.has(name);
    if (isNamed) isAddressed = name === product.toLowerCase();
    if (isAddressed) yield (isNamed ? rest : part).trim();
  }
}

/** Reads `X-Robots-Tag` headers for one crawler. */
export function readRobotsTags(
  headers: string | readonly string[] | undefined,
  product: string,
): { noindex: boolean; nofollow: boolean } {
  const all = typeof headers === 'string' ? [headers] : (headers ?? []);
  const directives = new Set(all.flatMap((header) => [...directivesFor(header, product)]));
  const isNone = directives.has('none');
  return { noindex: isNone || directives.has('noindex'), nofollow: isNone || directives.has('nofollow') };
}
