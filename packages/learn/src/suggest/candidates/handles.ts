import { attributeOf, type TreeElement } from '@gleaner/html';
import { nameQuality } from '../page/names.ts';
import type { PathTest } from '../page/path.ts';
import { numberTable } from '@gleaner/extractors/parts';

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

/** Attributes that name what their element holds, with their quality. */
const SEMANTIC: readonly (readonly [kind: HandleKind, qualities: ReadonlyMap<string, number>])[] = [
  ['itemprop', numberTable('itemprop 0.97|property 0.93')],
  [
    'data',
    numberTable(
      'data-testid data-test data-qa data-cy data-field 0.94|data-automation 0.92|data-name data-label data-hook 0.9|' +
        'data-element 0.88|data-role data-component data-label-for 0.85|data-type 0.8',
    ),
  ],
  ['attribute', numberTable('name headers 0.85|rel for slot 0.8|aria-label 0.75|role 0.6|scope 0.4')],
];

const TELLING_TAGS = numberTable(
  'h1 0.9|address main 0.8|title time article 0.75|h2 0.62|cite caption 0.6|h3 0.55|h4 blockquote 0.5|strong em big 0.4',
);

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
  for (const [kind, qualities] of SEMANTIC) {
    for (const [attribute, quality] of qualities) {
      const value = attributeOf(element, attribute);
      if (usable(value) && !/\d{3,}/.test(value)) add(attribute, value, 'equals', quality, kind);
    }
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
