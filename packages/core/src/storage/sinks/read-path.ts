/** The steps of a path like `page.items` or `$.items`; none for an absent one. */
export function readPath(path: string | undefined): string[] {
  return path === undefined ? [] : path.replace(/^\$\./, '').split('.');
}
