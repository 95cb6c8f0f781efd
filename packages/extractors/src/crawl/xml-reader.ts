import { Parser } from 'htmlparser2';
import { SOURCE_LIMITS, type SourceEntry, type SourceLines, type SourceReader } from './source-lines.ts';

/** The element of an entry, by the document's root. Names are compared without prefix and case. */
const ENTRIES: ReadonlyMap<string, string> = new Map([
  ['urlset', 'url'],
  ['sitemapindex', 'sitemap'],
  ['rss', 'item'],
  ['rdf', 'item'],
  ['feed', 'entry'],
]);

/** Where the time of a change stands, the surest first. */
const TIMES = ['lastmod', 'updated', 'modified', 'date', 'pubdate', 'published', 'issued'] as const;

const ADDRESSES: ReadonlySet<string> = new Set(['loc', 'link', 'guid', 'id']);
const ATTRIBUTES: ReadonlySet<string> = new Set(['href', 'rel', 'type', 'ispermalink']);
const VALUES: ReadonlySet<string> = new Set([...ADDRESSES, ...TIMES]);

interface Name {
  prefix: string;
  local: string;
  /** What `xml:base` of the element and of those around it makes the base. */
  base?: string | undefined;
}

function nameOf(written: string): Name {
  const name = written.toLowerCase();
  const colon = name.indexOf(':');
  return { prefix: colon === -1 ? '' : name.slice(0, colon), local: name.slice(colon + 1) };
}

/** An element directly in an entry. */
interface Value extends Name {
  text: string;
  attributes: Map<string, string>;
}

/** An entry that is being read. */
interface Entry extends Name {
  depth: number;
  text: string;
  addresses: Map<string, string>;
  times: Map<string, string>;
}

/** The address that an element of an entry gives, and how sure it is: the page, another version of it, an id. */
function addressOf({ local, text, attributes }: Value): { address: string; sort: string } | undefined {
  const href = attributes.get('href');
  if (local === 'guid' || local === 'id') {
    const isPage = attributes.get('ispermalink') !== 'false' && /^\s*https?:\/\//i.test(text);
    return isPage ? { address: text, sort: 'id' } : undefined;
  }
  if (local === 'loc' || href === undefined)
    return text.trim() === '' ? undefined : { address: text, sort: 'page' };
  const rel = attributes.get('rel') ?? 'alternate';
  const type = attributes.get('type') ?? 'text/html';
  if (rel !== 'alternate') return undefined;
  return { address: href, sort: type.includes('html') ? 'page' : 'version' };
}

function take(entry: Entry, value: Value): void {
  if (ADDRESSES.has(value.local)) {
    // `image:loc` and `atom:link` are other things than the `loc` and the `link` of the entry's own language.
    if (value.prefix !== entry.prefix) return;
    const found = addressOf(value);
    if (found !== undefined && !entry.addresses.has(found.sort))
      entry.addresses.set(found.sort, found.address);
  } else if (!entry.times.has(value.local)) entry.times.set(value.local, value.text);
}

function toEntry({ text, addresses, times, base }: Entry): SourceEntry {
  const name = TIMES.find((time) => times.has(time));
  return {
    // Some sitemaps have the address in the entry itself.
    address: addresses.get('page') ?? addresses.get('version') ?? addresses.get('id') ?? text,
    base,
    modified: name === undefined ? undefined : times.get(name),
  };
}

/** Ends the parser, which would go on to the end of its text. */
class TooDeep extends Error {}

/** Finds the entries of a document by the elements that open and close. */
function createEntryFinder(address: string, add: (entry: SourceEntry, root: string) => void) {
  const path: Name[] = [];
  let entry: Entry | undefined;
  let value: Value | undefined;
  return {
    /** The root that is none of a sitemap or a feed. */
    strangeRoot: (): string | undefined => {
      const root = path[0]?.local;
      return root === undefined || ENTRIES.has(root) ? undefined : root;
    },
    open(written: string): void {
      if (path.length >= SOURCE_LIMITS.depth) throw new TooDeep();
      const name: Name = { ...nameOf(written), base: path.at(-1)?.base };
      const root = path[0]?.local ?? '';
      const parent = path.at(-1)?.local;
      if (entry === undefined) {
        if (name.local === ENTRIES.get(root) && (parent === root || parent === 'channel'))
          entry = { ...name, depth: path.length, text: '', addresses: new Map(), times: new Map() };
      } else if (path.length === entry.depth + 1 && VALUES.has(name.local)) {
        value = { ...name, text: '', attributes: new Map() };
      }
      path.push(name);
    },
    attribute(written: string, text: string): void {
      const name = written.toLowerCase();
      const element = path.at(-1);
      if (name === 'xml:base' && element !== undefined) {
        element.base = URL.parse(text, element.base ?? address)?.href ?? element.base;
        if (entry?.depth === path.length - 1) entry.base = element.base;
      }
      if (ATTRIBUTES.has(name)) value?.attributes.set(name, text.slice(0, SOURCE_LIMITS.value));
    },
    text(text: string): void {
      if (entry === undefined) return;
      // Texts inside of a value's elements are its text too.
      const holder = value ?? (path.length === entry.depth + 1 ? entry : undefined);
      if (holder !== undefined) holder.text = (holder.text + text).slice(0, SOURCE_LIMITS.value);
    },
    close(): void {
      const root = path[0]?.local ?? '';
      path.pop();
      if (entry === undefined) return;
      if (path.length === entry.depth + 1 && value !== undefined) {
        take(entry, value);
        value = undefined;
      } else if (path.length === entry.depth) {
        add(toEntry(entry), root);
        entry = undefined;
      }
    },
  };
}

/**
 * Reads sitemaps, indexes of sitemaps, RSS and Atom, also where they are not well-formed. Names count without their
 * namespace. Nothing is resolved: a document type and its entities are passed over.
 */
export function createXmlReader(kind: 's' | 'f', lines: SourceLines): SourceReader {
  let fault: string | undefined;
  let isEnding = false;
  let isUnfinished = false;
  const finder = createEntryFinder(lines.base, (entry, root) => {
    if (root === 'sitemapindex') lines.addSitemap(entry);
    else lines.addPage(kind, entry);
  });

  const parser = new Parser(
    {
      onopentagname(name) {
        finder.open(name);
        const root = finder.strangeRoot();
        if (root === undefined) return;
        fault ??= root === 'html' ? 'is an HTML page' : `is XML with the root element <${root.slice(0, 50)}>`;
      },
      onattribute: finder.attribute,
      ontext: finder.text,
      onclosetag() {
        // What the end of the document closes is cut off, perhaps in the middle of an address.
        if (isEnding) isUnfinished = true;
        else finder.close();
      },
    },
    { xmlMode: true },
  );

  const untilTooDeep = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof TooDeep)) throw error;
      fault = `has elements in more than ${SOURCE_LIMITS.depth} levels`;
    }
  };

  return {
    write: (text) => untilTooDeep(() => parser.write(text)),
    end() {
      isEnding = true;
      if (fault === undefined) untilTooDeep(() => parser.end());
    },
    fault: () => fault,
    isUnfinished: () => isUnfinished,
  };
}
