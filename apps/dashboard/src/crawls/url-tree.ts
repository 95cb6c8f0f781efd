import type { UrlOutcome } from '@gleaner/contracts/values';
import { type CallOutput, call } from '../api/call.ts';
import { useEffect, useReducer, useRef, useState } from 'react';
import { toProblem } from '../api/problem.ts';

export type CrawlUrl = CallOutput<'listCrawlUrls'>['urls'][number];

/** How many addresses there are of a kind, and what became of them. */
interface Tally {
  count: number;
  outcomes: Partial<Record<UrlOutcome, number>>;
  examples: string[];
}

/** Addresses that look alike, or a folder of such kinds. */
export interface UrlNode extends Tally {
  /** As a route of a crawl matches them: `/product/*`. */
  pattern: string;
  /** Whether a route can read exactly these. */
  isRoute: boolean;
  children: readonly UrlNode[];
}

const MAX_EXAMPLES = 3;
/** From this number on, files side by side are one kind of page; the top of a site takes more, because most of its own pages stand there. */
const ALIKE = 3;
const ALIKE_AT_TOP = 10;
const ANY = '*';

/** What is below one path of a site. It never holds more than a few names: alike ones become `*`. */
interface Folder {
  /** From how many on its files are alike. */
  most: number;
  /** By name; with a query `name?*`. */
  files: Map<string, Tally>;
  folders: Map<string, Folder>;
}

function createFolder(most = ALIKE): Folder {
  return { most, files: new Map(), folders: new Map() };
}

function mergeTally(into: Tally, from: Tally): void {
  into.count += from.count;
  for (const [outcome, count] of Object.entries(from.outcomes) as [UrlOutcome, number][])
    into.outcomes[outcome] = (into.outcomes[outcome] ?? 0) + count;
  into.examples = [...into.examples, ...from.examples].slice(0, MAX_EXAMPLES);
}

function emptyTally(): Tally {
  return { count: 0, outcomes: {}, examples: [] };
}

/** The front page of a site is no file among others. */
function isFront(name: string): boolean {
  return name === '' || name === '?*';
}

/** Makes one kind of all files in a folder. */
function makeAlike({ files }: Folder): void {
  const alike = files.get(ANY) ?? emptyTally();
  for (const [name, tally] of files) {
    if (isFront(name) || name === ANY) continue;
    mergeTally(alike, tally);
    files.delete(name);
  }
  files.set(ANY, alike);
}

function addFile(folder: Folder, name: string, tally: Tally): void {
  const { files, most } = folder;
  if (name === ANY) makeAlike(folder);
  const key = files.has(ANY) && !isFront(name) ? ANY : name;
  const known = files.get(key) ?? emptyTally();
  files.set(key, known);
  mergeTally(known, tally);
  const names = new Set([...files.keys()].map((file) => file.replace(/\?\*$/, '')));
  if (!files.has(ANY) && names.size >= most) makeAlike(folder);
}

/** The folder with this name, or the one of all when they are many. */
function folderOf(parent: Folder, name: string): Folder {
  const { folders } = parent;
  const known = folders.get(ANY) ?? folders.get(name);
  if (known) return known;
  folders.set(name, createFolder());
  if (folders.size < ALIKE_AT_TOP) return folderOf(parent, name);
  const all = createFolder();
  for (const one of folders.values()) mergeFolder(all, one);
  folders.clear();
  folders.set(ANY, all);
  return all;
}

function mergeFolder(into: Folder, from: Folder): void {
  for (const [name, tally] of from.files) addFile(into, name, tally);
  for (const [name, folder] of from.folders) mergeFolder(folderOf(into, name), folder);
}

function totalOf(nodes: readonly Tally[]): Tally {
  const total = emptyTally();
  for (const node of nodes) mergeTally(total, node);
  return total;
}

/** A folder of kinds; one with a single kind is that kind. */
function folderNode(path: string, children: readonly UrlNode[]): UrlNode {
  const [only] = children;
  if (children.length === 1 && only) return only;
  const pattern = `${path}*`;
  // Its own files may have that pattern.
  const isTaken = children.some((child) => child.pattern === pattern);
  return { ...totalOf(children), pattern: isTaken ? path : pattern, isRoute: !isTaken, children };
}

/** The kinds of pages in a folder. */
function nodesOf({ files, folders }: Folder, prefix: string): UrlNode[] {
  const kinds = [...files].map(([name, tally]) => ({
    ...tally,
    pattern: prefix + name,
    isRoute: true,
    children: [],
  }));
  const below = [...folders].map(([name, folder]) =>
    folderNode(`${prefix}${name}/`, nodesOf(folder, `${prefix}${name}/`)),
  );
  return [...kinds, ...below];
}

function sorted(nodes: readonly UrlNode[]): UrlNode[] {
  return nodes
    .map((node) => ({ ...node, children: sorted(node.children) }))
    .toSorted((one, other) => other.count - one.count);
}

/** Groups addresses of millions of pages, as they come, in the memory of the few patterns that their paths make. */
export function createUrlTree() {
  const hosts = new Map<string, Folder>();
  const add = ({ url: text, outcome }: CrawlUrl): void => {
    const url = URL.parse(text);
    // Other sites are no pages of this one: the list of addresses names them.
    if (url === null || outcome === 'out_of_scope') return;
    const segments = url.pathname.split('/').filter(Boolean);
    const file = segments.pop() ?? '';
    let folder = hosts.get(url.origin) ?? createFolder(ALIKE_AT_TOP);
    hosts.set(url.origin, folder);
    for (const segment of segments) folder = folderOf(folder, segment);
    const outcomes = outcome === null ? {} : { [outcome]: 1 };
    addFile(folder, url.search === '' ? file : `${file}?*`, { count: 1, outcomes, examples: [text] });
  };
  return {
    add: (urls: readonly CrawlUrl[]): void => urls.forEach(add),
    /** The kinds of pages: the largest first, or in the order of the crawl. With several hosts, patterns name theirs. */
    read: (order: 'largest' | 'found'): UrlNode[] => {
      const nodes = [...hosts].flatMap(([origin, folder]) => {
        if (hosts.size === 1) return nodesOf(folder, '/');
        return folderNode(`${origin}/`, nodesOf(folder, `${origin}/`));
      });
      return order === 'largest' ? sorted(nodes) : nodes;
    },
  };
}

/** The most addresses of one call. */
const PAGE = 1_000;
const PAUSE_MS = 2_000;

function beginWalk() {
  return { tree: createUrlTree(), read: 0, cursor: undefined as string | undefined, isDone: false };
}

type Walk = ReturnType<typeof beginWalk>;

/** Reads all addresses of a crawl from where the walk is, and goes on with it while it lives. */
async function goOn(walk: Walk, id: string, onRead: () => void, signal: AbortSignal): Promise<void> {
  while (!walk.isDone) {
    const query = { limit: PAGE, cursor: walk.cursor };
    const { urls, cursor } = await call('listCrawlUrls', { params: { id }, query }, { signal });
    walk.tree.add(urls);
    walk.read += urls.length;
    walk.cursor = cursor;
    walk.isDone = cursor === undefined;
    onRead();
    if (!walk.isDone && urls.length < PAGE) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    signal.throwIfAborted();
  }
}

/**
 * All addresses of a crawl by their patterns, each read once: what a crawl has decided changes no more.
 * @param isLive whether the crawl goes on; one that is retried is read again
 */
export function useUrlTree(id: string, isLive: boolean) {
  const walk = useRef(beginWalk());
  const [shown, setShown] = useState<Walk>(beginWalk);
  const [error, setError] = useState<unknown>(null);
  const [tries, retry] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    if (isLive && walk.current.isDone) walk.current = beginWalk();
    const run = async (): Promise<void> => {
      const { current } = walk;
      setError(null);
      for (;;) {
        try {
          return await goOn(current, id, () => setShown({ ...current }), signal);
        } catch (failure) {
          const { status } = toProblem(failure);
          if (signal.aborted) return;
          // A service that was away is asked again.
          if (status !== 0 && status < 500) return setError(failure);
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        }
      }
    };
    void run();
    return () => controller.abort();
  }, [id, isLive, tries]);
  return { ...shown, error, retry };
}
