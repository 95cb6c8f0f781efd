/** Words that lead to the next page of a list, whole. */
const WORDS: ReadonlySet<string> = new Set(
  (
    'next|next page|older|older posts|weiter|nächste|nächste seite|suivant|page suivante|siguiente|próxima|próximo|' +
    'avanti|successivo|volgende|nästa|далее|次へ|下一页'
  ).split('|'),
);
/** A class of the link, or of the element around it. */
const CLASS = /(?:^|[-_])next(?:$|[-_])/;

function wordOf(text: string | null): string {
  return (text ?? '')
    .replace(/[›»→>]/g, ' ')
    .trim()
    .toLowerCase();
}

function quoted(value: string): string {
  return `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** What marks a link as that to the next page, on every page of the list; undefined when nothing does. */
function selectorOf(link: Element): string | undefined {
  const tag = link.localName;
  if ((link.getAttribute('rel') ?? '').split(/\s/).includes('next')) return `${tag}[rel~="next"]`;
  for (const name of ['aria-label', 'title']) {
    const value = link.getAttribute(name);
    if (value !== null && WORDS.has(wordOf(value))) return `${tag}[${name}=${quoted(value)}]`;
  }
  const own = [...link.classList].find((name) => CLASS.test(name));
  if (own !== undefined) return `${tag}.${CSS.escape(own)}`;
  const { parentElement: around } = link;
  // Of a bar with several links the class says nothing of this one.
  const outer =
    around?.children.length === 1 ? [...around.classList].find((name) => CLASS.test(name)) : undefined;
  return outer === undefined ? undefined : `.${CSS.escape(outer)} > ${tag}`;
}

/** How the link to the next page of a list is found on all of its pages, and where it leads; undefined without one. */
export function findNextLink(page: ParentNode): { selector: string; href: string } | undefined {
  const links = [...page.querySelectorAll('a[href], link[rel~="next"][href]')].flatMap((link) => {
    const selector = selectorOf(link);
    const href = link.getAttribute('href') ?? '';
    return selector === undefined || href.startsWith('#') ? [] : [{ selector, href }];
  });
  // The first that the selector finds on the page is what a field reads.
  return links.find(({ selector, href }) => page.querySelector(selector)?.getAttribute('href') === href);
}

const PICTURE = /\.(?:avif|gif|ico|jpe?g|png|svg|webp)(?:[?#]|$)/i;

/** Whether these are addresses of pictures, which lead to no page. */
export function arePictures(urls: readonly string[]): boolean {
  return urls.length > 0 && urls.every((url) => PICTURE.test(url));
}

/** The addresses at a path like `$.items[*].link` of what a page gave. */
export function urlsAt(data: unknown, path: string): string[] {
  let found: unknown[] = [data];
  for (const step of path.replace(/^\$\.?/, '').split('.')) {
    const name = step.replace(/\[\*\]$/, '');
    found = found.flatMap((value) => {
      const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
      const [, next] = inner.find(([key]) => key === name) ?? [];
      return step.endsWith('[*]') ? (Array.isArray(next) ? (next as unknown[]) : []) : [next];
    });
  }
  return found.filter((value) => typeof value === 'string' && value !== '') as string[];
}
