/** The steps of a path such as `page.items` or `$.items`; empty without a path. */
export function readPath(path: string | undefined): string[] {
  return path === undefined ? [] : path.replace(/^\$\./, '').split('.');
}
