/** The steps of a path like `page.items` or `$.items`; none for an absent one. */
export const readPath = (path: string | undefined): string[] =>
  path === undefined ? [] : path.replace(/^\$\./, '').split('.');
