import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';

/** The start of a path of this repository, as docs cite them in code spans. */
const CITED =
  /^(apps|packages|docs|bench|scripts|test|deploy|\.ci)\/|^(Dockerfile|docker-compose\.yml|turbo\.json|package\.json|tsconfig\.json)$/;

/** Links of the form `](target)` outside code blocks. */
function linksOf(prose: string): string[] {
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target ?? '')
    .filter((target) => !/^[a-z]+:/i.test(target));
}

function proseOf(text: string): string {
  return text.replaceAll(/^ *(```|~~~)[\s\S]*?^ *\1/gm, '');
}

/** The anchors of a page's headings, as GitHub and most renderers of Markdown make them. */
function anchorsOf(text: string): Set<string> {
  const headings = proseOf(text).matchAll(/^#+ +(.+)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .trim()
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Whether a cited path exists. `*` and `{a,b}` are expanded; `<name>` stands for anything. */
function exists(root: string, cited: string): boolean {
  const pattern = cited.replaceAll(/<[^>]+>/g, '*').replace(/\/$/, '');
  return existsSync(join(root, pattern)) || globSync(pattern, { cwd: root }).length > 0;
}

/**
 * Finds what a page cites in vain: relative links to files or headings that do not exist, and missing paths in
 * code spans.
 * @param page path of the page from the root
 */
export function findDeadPaths(root: string, page: string, text: string): string[] {
  const prose = proseOf(text);
  const faults: string[] = [];
  for (const target of linksOf(prose)) {
    const [file = '', anchor] = target.split('#');
    const path = file === '' ? page : normalize(join(dirname(page), file));
    if (file !== '' && !existsSync(join(root, path))) {
      faults.push(`${page}: links to ${target}, which does not exist`);
    } else if (anchor !== undefined && path.endsWith('.md')) {
      const linked = file === '' ? text : readFileSync(join(root, path), 'utf8');
      if (!anchorsOf(linked).has(anchor)) faults.push(`${page}: links to ${target}, which is no heading`);
    }
  }
  for (const [, span] of prose.matchAll(/`([^`\n]+)`/g)) {
    const path = span?.replace(/[.,:;]$/, '') ?? '';
    if (!CITED.test(path) || /[\s()$…]/.test(path)) continue;
    if (!exists(root, path)) faults.push(`${page}: cites ${span}, which does not exist`);
  }
  return faults;
}

/** Files whose comments and texts are read. Migrations that a database has run never change. */
const READ = /\.(ts|tsx|mts|mjs|js|sql|css|yml|yaml|sh)$|(^|\/)(Dockerfile|run)$/;
const NOT_READ = /^packages\/db\/migrations\//;
/** A comment's line, or the end of a line from `//`. */
const COMMENT = /^\s*(?:\*|\/\*|#|--).*$|\s\/\/ .*$|^\/\/ .*$/gm;
const CITED_IN_COMMENT =
  /(?<![\w/.@:-])(?:apps|packages|docs|bench|scripts|test|deploy|\.ci)\/[\w.{},*<>/-]*\.(?:md|ts|tsx|mts|mjs|js|sql|json|ya?ml|sh)\b/g;
const CITED_PAGE = /(?<![\w/.@:-])docs\/[\w./-]+\.md\b(?:#[\w-]+)?/g;

/**
 * Finds missing files that code cites: paths in its comments, and pages of docs/ in all of its texts (errors, help,
 * alerts). Tests may make up pages in their texts.
 * @param read gives the file's text; it is called for files of code only
 */
export function findDeadCitations(root: string, file: string, read: () => string): string[] {
  if (!READ.test(basename(file)) || NOT_READ.test(file)) return [];
  const text = read();
  const comments = (text.match(COMMENT) ?? []).join('\n');
  const pages = /\.test\.ts$/.test(file) ? comments : text;
  const cited = [
    ...(comments.match(CITED_IN_COMMENT) ?? []),
    ...[...pages.matchAll(CITED_PAGE)].map(([page]) => page),
  ];
  return [...new Set(cited)].flatMap((citation) => {
    const [path = '', anchor] = citation.split('#');
    if (!exists(root, path)) return [`${file}: cites ${citation}, which does not exist`];
    if (anchor === undefined || anchorsOf(readFileSync(join(root, path), 'utf8')).has(anchor)) return [];
    return [`${file}: cites ${citation}, which is no heading`];
  });
}

/**
 * Finds pages of docs/ that no chain of links from docs/README.md reaches.
 * @param pages the text of every page by its path from the root
 */
export function findUnreachablePages(pages: ReadonlyMap<string, string>): string[] {
  const reached = new Set(['docs/README.md']);
  for (const page of reached) {
    for (const target of linksOf(proseOf(pages.get(page) ?? ''))) {
      const path = normalize(join(dirname(page), target.replace(/#.*$/, '')));
      if (path.startsWith('docs/') && pages.has(path)) reached.add(path);
    }
  }
  return [...pages.keys()]
    .filter((page) => page.startsWith('docs/') && !reached.has(page))
    .map((page) => `${page}: no link from docs/README.md leads to it`);
}

/** A version of Gleaner as pages name it: `v0.1.0`. */
const NAMED_VERSION = /\bv(\d+\.\d+\.\d+)\b/g;

/**
 * Finds numbers that mean nothing: a page that names a version without a section in the changelog, packages with
 * different numbers, and a number that does not fit the changelog's first section.
 * @param pages the text of every page by its path from the root
 * @param versions of the packages, by their manifest
 */
export function findVersionFaults(
  pages: ReadonlyMap<string, string>,
  versions: ReadonlyMap<string, string>,
): string[] {
  const sections = [...(pages.get('CHANGELOG.md') ?? '').matchAll(/^## (\S+)/gm)].map(
    ([, name]) => name ?? '',
  );
  const [first = '', next] = sections;
  const isReleased = first !== 'Unreleased';
  const fits = (version: string): boolean =>
    isReleased ? version === first : /^\d+\.\d+\.\d+-dev$/.test(version) && version !== `${next}-dev`;
  const numbers = new Set(versions.values());
  return [
    ...[...versions]
      .filter(([, version]) => !fits(version) || numbers.size > 1)
      .map(([manifest, version]) => `${manifest}: the version ${version} does not fit docs/build/release.md`),
    ...[...pages].flatMap(([page, text]) =>
      [...text.matchAll(NAMED_VERSION)]
        .filter(([, version = '']) => !sections.includes(version))
        .map(([named]) => `${page}: names ${named}, which is no section of CHANGELOG.md`),
    ),
  ];
}

/** Functions that pages define for their examples. */
const HELPERS = ['api', 'field', 'get', 'post'];

/**
 * Finds shell blocks that a reader can't paste: they call a function that the page does not define before, or use the
 * address and key on a page that neither sets them nor links to where they are set.
 */
export function findLooseSnippets(page: string, text: string): string[] {
  const shell = [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].map(([, block]) => block).join('\n');
  const missing = HELPERS.filter((name) => {
    const call = shell.search(new RegExp(`(?:^|[|(]) *${name} `, 'm'));
    const definition = shell.search(new RegExp(`^ *${name}\\(\\)`, 'm'));
    return call >= 0 && (definition < 0 || definition > call);
  });
  const needsKey = /\$GLEANER_(?:URL|API_KEY)/.test(shell);
  const hasKey = /export GLEANER_URL/.test(shell) || /api\.md#address-and-key/.test(text);
  return [
    ...missing.map((name) => `${page}: calls ${name} in a snippet without defining it`),
    ...(needsKey && !hasKey
      ? [`${page}: uses $GLEANER_URL without export or a link to api.md#address-and-key`]
      : []),
  ];
}
