import { attributeOf, type TreeElement } from '../page/dom.ts';
import { nameQuality } from '../page/names.ts';
import type { PathTest } from '../page/path.ts';

/** A feature of an element's markup that a selector can use. */
export interface Handle {
  readonly tag: string | null;
  readonly tests: readonly PathTest[];
  /** From 0 to 1: the chance that it stays stable and describes the element's content. */
  readonly quality: number;
  readonly kind: HandleKind;
  /** Its name, for comparison with a field's name. */
  readonly name: string;
}

export type HandleKind = 'itemprop' | 'data' | 'id' | 'class' | 'attribute' | 'tag';

const SEMANTIC: readonly (readonly [attribute: string, quality: number, kind: HandleKind])[] = [
  ['itemprop', 0.97, 'itemprop'],
  ['property', 0.93, 'itemprop'],
  ['data-testid', 0.94, 'data'],
  ['data-test', 0.94, 'data'],
  ['data-qa', 0.94, 'data'],
  ['data-cy', 0.94, 'data'],
  ['data-field', 0.94, 'data'],
  ['data-name', 0.9, 'data'],
  ['data-label', 0.9, 'data'],
  ['data-automation', 0.92, 'data'],
  ['data-role', 0.85, 'data'],
  ['data-type', 0.8, 'data'],
  ['data-element', 0.88, 'data'],
  ['data-hook', 0.9, 'data'],
  ['data-component', 0.85, 'data'],
  ['data-label-for', 0.85, 'data'],
  ['rel', 0.8, 'attribute'],
  ['name', 0.85, 'attribute'],
  ['role', 0.6, 'attribute'],
  ['aria-label', 0.75, 'attribute'],
  ['headers', 0.85, 'attribute'],
  ['for', 0.8, 'attribute'],
  ['slot', 0.8, 'attribute'],
  ['scope', 0.4, 'attribute'],
];

const TELLING_TAGS = new Map([
  ['h1', 0.9],
  ['title', 0.75],
  ['address', 0.8],
  ['time', 0.75],
  ['h2', 0.62],
  ['h3', 0.55],
  ['h4', 0.5],
  ['main', 0.8],
  ['article', 0.75],
  ['cite', 0.6],
  ['caption', 0.6],
  ['blockquote', 0.5],
  ['strong', 0.4],
  ['em', 0.4],
  ['big', 0.4],
]);

function usable(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '' && value.length <= 80 && !/["\\\n]/.test(value);
}

/** The element's handles, best first. The last is its tag name alone. */
export function handlesOf(element: TreeElement): Handle[] {
  const handles: Handle[] = [];
  const tag = element.localName;
  const add = (
    attribute: string,
    value: string,
    match: PathTest['match'],
    quality: number,
    kind: HandleKind,
    named = tag as string | null,
  ): void => {
    handles.push({ tag: named, tests: [{ attribute, value, match }], quality, kind, name: value });
  };
  const id = attributeOf(element, 'id');
  if (usable(id) && !/\s/.test(id)) {
    const quality = nameQuality(id);
    if (quality >= 0.2) add('id', id, 'equals', 0.93 * Math.min(1, quality + 0.1), 'id', null);
  }
  for (const [attribute, quality, kind] of SEMANTIC) {
    const value = attributeOf(element, attribute);
    if (usable(value) && !/\d{3,}/.test(value)) add(attribute, value, 'equals', quality, kind);
  }
  const classes = (attributeOf(element, 'class') ?? '').split(/\s+/).filter((name) => name !== '');
  for (const name of new Set(classes.slice(0, 12))) {
    if (usable(name)) add('class', name, 'token', Math.max(0.03, 0.88 * nameQuality(name)), 'class');
  }
  if (classes.length > 1 && classes.length <= 4) {
    const quality = Math.min(...classes.map(nameQuality));
    if (quality >= 0.2) {
      handles.push({
        tag,
        tests: [...new Set(classes)].map((value) => ({ attribute: 'class', value, match: 'token' as const })),
        quality: 0.82 * quality,
        kind: 'class',
        name: classes.join(' '),
      });
    }
  }
  handles.sort((a, b) => b.quality - a.quality);
  handles.push({ tag, tests: [], quality: TELLING_TAGS.get(tag) ?? 0.2, kind: 'tag', name: tag });
  return handles;
}
