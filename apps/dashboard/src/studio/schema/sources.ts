import type { FieldObject } from '@gleaner/contracts';
import { longForm, SOURCE_KINDS, type PageFact, type SourceKind } from '@gleaner/contracts/values';

/** The kinds of sources, each with an example of its text. */
export const SOURCES = {
  css: { label: 'CSS selector', hint: '.price or img@src' },
  xpath: { label: 'XPath', hint: '//h1/text()' },
  jsonld: { label: 'JSON-LD', hint: '$[0].offers.price' },
  meta: { label: 'Meta tag', hint: 'og:title' },
  microdata: { label: 'Microdata', hint: '$[0].offers.price' },
  json: { label: 'Embedded JSON', hint: '$.props.pageProps' },
  xhr: { label: 'Loaded JSON', hint: '$.items[*].price' },
  page: { label: 'Fact of the page', hint: 'url' },
  const: { label: 'Constant', hint: 'EUR' },
} satisfies Record<SourceKind, { label: string; hint: string }>;

/** One source as the form edits it. */
export interface SourceText {
  kind: SourceKind;
  /** The selector, path, name or constant. */
  text: string;
  /** What holds the JSON that a path reads: the script of `json`, the address of `xhr`. */
  within?: string | undefined;
}

type SourceLike = Pick<FieldObject, SourceKind>;

/** Sources that are one text, or texts tried in order. */
const TEXT_KINDS = SOURCE_KINDS.filter((kind) => kind !== 'json' && kind !== 'xhr');

function readOne(source: SourceLike): SourceText[] {
  const { json, xhr } = source;
  if (json !== undefined) return [{ kind: 'json', text: json.path, within: json.script }];
  if (xhr !== undefined) return [{ kind: 'xhr', text: xhr.path, within: xhr.url }];
  return TEXT_KINDS.flatMap((kind) =>
    [source[kind] ?? []].flat().map((text) => ({ kind, text: String(text) })),
  );
}

/** The sources of a field in the order in which they are tried. */
export function readSources(field: FieldObject): SourceText[] {
  const any = (field.any ?? []).flatMap((source) => readOne(longForm(source)));
  const all = [...readOne(field), ...any];
  return all.length === 0 ? [{ kind: 'css', text: '' }] : all;
}

/**
 * The source that a place within a field belongs to, by its index among the field's sources.
 * @param place `css[1]`, `any[0].xpath`
 * @returns undefined for a place that is in no source
 */
export function sourceAt(field: FieldObject, place: string): number | undefined {
  const own = readOne(field);
  const [, any, inAny, kind, index] =
    /^(?:any\[(\d+)\](?:\.\w+(?:\[(\d+)\])?)?|(\w+)(?:\[(\d+)\])?)/.exec(place) ?? [];
  if (any === undefined) {
    const first = own.findIndex((source) => source.kind === kind);
    return first === -1 ? undefined : first + Number(index ?? 0);
  }
  const before = (field.any ?? []).slice(0, Number(any)).flatMap((source) => readOne(longForm(source)));
  return own.length + before.length + Number(inAny ?? 0);
}

/** Whether the form can write the sources back without losing what it doesn't show. */
export function hasPlainSources(field: FieldObject): boolean {
  return (field.any ?? []).every(
    (source) => typeof source === 'string' || Object.keys(source).every((key) => Object.hasOwn(SOURCES, key)),
  );
}

function writeOne({ kind, text, within }: SourceText): SourceLike {
  if (kind === 'json') return { json: { ...(within === undefined ? {} : { script: within }), path: text } };
  if (kind === 'xhr') return { xhr: { url: within ?? '', path: text } };
  // The engine's check reports facts that don't exist.
  if (kind === 'page') return { page: text as PageFact };
  return { [kind]: text };
}

/** The field with its sources replaced by these. */
export function writeSources(field: FieldObject, sources: readonly SourceText[]): FieldObject {
  const rest = { ...field };
  for (const key of ['any', ...SOURCE_KINDS] as const) delete rest[key];
  const [first, ...others] = sources;
  if (!first) return rest;
  if (others.length === 0) return { ...writeOne(first), ...rest };
  const isSameKind = others.every(({ kind }) => kind === first.kind);
  if (isSameKind && first.kind === 'css') return { css: sources.map(({ text }) => text), ...rest };
  if (isSameKind && first.kind === 'xpath') return { xpath: sources.map(({ text }) => text), ...rest };
  return { any: sources.map(writeOne), ...rest };
}
