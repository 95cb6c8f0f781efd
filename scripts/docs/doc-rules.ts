import { existsSync, globSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The start of a path of this repository, as docs cite them in code spans. */
const CITED =
  /^(apps|packages|docs|bench|scripts|test|\.ci)\/|^(Dockerfile|docker-compose\.yml|turbo\.json|package\.json|tsconfig\.json)$/;

/**
 * Finds missing files that a page cites: targets of relative links, and paths in code spans. `*` and `{a,b}`
 * are expanded; `<name>` stands for anything.
 * @param page path of the page from the root
 */
export function findDeadPaths(root: string, page: string, text: string): string[] {
  const prose = text.replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, '');
  const faults: string[] = [];
  for (const [, target] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (target === undefined || /^([a-z]+:|#)/i.test(target)) continue;
    const path = normalize(join(dirname(page), target.replace(/#.*$/, '')));
    if (!existsSync(join(root, path))) faults.push(`${page}: links to ${target}, which does not exist`);
  }
  for (const [, span] of prose.matchAll(/`([^`\n]+)`/g)) {
    const path = span?.replace(/[.,:;]$/, '') ?? '';
    if (!CITED.test(path) || /[\s()$…]/.test(path)) continue;
    const pattern = path.replaceAll(/<[^>]+>/g, '*').replace(/\/$/, '');
    if (globSync(pattern, { cwd: root }).length === 0)
      faults.push(`${page}: cites ${span}, which does not exist`);
  }
  return faults;
}
