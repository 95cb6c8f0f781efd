const JSON_SCRIPTS = 'script[type="application/json"], script#__NEXT_DATA__, script#__NUXT_DATA__';
const MAX_SCRIPTS = 20;

/** Selectors of the scripts that hold JSON. */
export function scriptsOf(page: Document): string[] {
  return [...page.querySelectorAll(JSON_SCRIPTS)]
    .flatMap(({ id }, index) => {
      if (id !== '') return [`script#${CSS.escape(id)}`];
      return index === 0 ? ['script[type="application/json"]'] : [];
    })
    .slice(0, MAX_SCRIPTS);
}

/** The names and contents of the meta elements, each name once. */
export function metasOf(page: Document): { name: string; content: string }[] {
  const found = new Map<string, string>();
  for (const meta of page.querySelectorAll('meta[content]')) {
    const name = meta.getAttribute('property') ?? meta.getAttribute('name');
    if (name && name !== 'viewport' && !found.has(name)) found.set(name, meta.getAttribute('content') ?? '');
  }
  return [...found].map(([name, content]) => ({ name, content }));
}
