const MAX_LENGTH = 60;

/** The part of a page's title before the name of its site; '' without one. Needs a browser. */
export function pageTitle(html: string): string {
  const element = /<title\b[^>]*>[^<]{1,2000}<\/title>/i.exec(html)?.[0];
  if (element === undefined) return '';
  const { title } = new DOMParser().parseFromString(element, 'text/html');
  const [first = ''] = title.split(/\s[|–—·»-]\s/);
  return first.trim().slice(0, MAX_LENGTH).trim();
}
