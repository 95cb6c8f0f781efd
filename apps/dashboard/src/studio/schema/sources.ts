import type { FieldObject } from '@gleaner/contracts';

/** The source kinds that the form offers; all of them are open to the JSON side. */
export const SOURCE_CHOICES = [
  { value: 'css', label: 'CSS selector', hint: '.price or img@src' },
  { value: 'xpath', label: 'XPath', hint: '//h1/text()' },
  { value: 'jsonld', label: 'JSON-LD', hint: '$[0].offers.price' },
  { value: 'meta', label: 'Meta tag', hint: 'og:title' },
  { value: 'microdata', label: 'Microdata', hint: '$[0].properties.name' },
  { value: 'json', label: 'Embedded JSON', hint: '$.props.pageProps' },
  { value: 'page', label: 'Fact of the fetch', hint: 'url' },
  { value: 'const', label: 'Constant', hint: 'EUR' },
] as const;

export type SourceChoice = (typeof SOURCE_CHOICES)[number]['value'];

/** One source as the form edits it. */
export interface SourceText {
  kind: SourceChoice;
  text: string;
  /** The rest of an embedded JSON source: its script. */
  script?: string | undefined;
}

type SourceLike = Pick<FieldObject, SourceChoice>;

function readOne(source: SourceLike): SourceText[] {
  if (source.css !== undefined) return [source.css].flat().map((text) => ({ kind: 'css', text }));
  if (source.xpath !== undefined) return [source.xpath].flat().map((text) => ({ kind: 'xpath', text }));
  if (source.json !== undefined)
    return [{ kind: 'json', text: source.json.path, script: source.json.script }];
  for (const kind of ['jsonld', 'microdata', 'meta', 'page', 'const'] as const) {
    const value = source[kind];
    if (value !== undefined) return [{ kind, text: String(value) }];
  }
  return [];
}

/** The sources of a field in the order in which they are tried. */
export function readSources(field: FieldObject): SourceText[] {
  const any = (field.any ?? []).flatMap((source) =>
    readOne(typeof source === 'string' ? { css: source } : source),
  );
  const all = [...readOne(field), ...any];
  return all.length === 0 ? [{ kind: 'css', text: '' }] : all;
}

/** Whether the form can write the sources back without losing what it doesn't show. */
export function hasPlainSources(field: FieldObject): boolean {
  return (field.any ?? []).every(
    (source) =>
      typeof source === 'string' ||
      Object.keys(source).every((key) => SOURCE_CHOICES.some(({ value }) => value === key)),
  );
}

function writeOne({ kind, text, script }: SourceText): SourceLike {
  if (kind === 'json') return { json: { ...(script === undefined ? {} : { script }), path: text } };
  // The engine's check reports facts that don't exist.
  if (kind === 'page') return { page: text as Exclude<FieldObject['page'], undefined> };
  return { [kind]: text };
}

const SOURCE_KEYS = ['any', ...SOURCE_CHOICES.map(({ value }) => value)] as const;

/** The field with its sources replaced by these. */
export function writeSources(field: FieldObject, sources: readonly SourceText[]): FieldObject {
  const rest = { ...field };
  for (const key of SOURCE_KEYS) delete rest[key];
  const [first, ...others] = sources;
  if (!first) return rest;
  if (others.length === 0) return { ...writeOne(first), ...rest };
  const isSameKind = others.every(({ kind }) => kind === first.kind);
  if (isSameKind && first.kind === 'css') return { css: sources.map(({ text }) => text), ...rest };
  if (isSameKind && first.kind === 'xpath') return { xpath: sources.map(({ text }) => text), ...rest };
  return { any: sources.map(writeOne), ...rest };
}
