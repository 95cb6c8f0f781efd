import { once } from '../page/once.ts';
import { textNodesOf, type StructuralReading } from '../page/reading.ts';
import { type Cut, WHOLE } from '../values/cut.ts';
import { ancestorsOf } from '../page/dom.ts';
import { attributeOf, parentElement, textOf, type TreeElement } from '@gleaner/html';
import type { PageModel, TextSpot } from '../page/page-model.ts';
import { fold } from '../page/text.ts';
import type { ValueType } from '../values/wanted.ts';

/** A value on its page: a text, or an element with several texts. */
export interface ExampleTarget {
  readonly element: TreeElement;
  readonly reading: StructuralReading;
  /** Its first text. */
  readonly spot: TextSpot;
  /** Whether the value is the whole of that one text. */
  readonly isOneText: boolean;
}

/** One occurrence of an example on its page. */
export interface Place {
  readonly element: TreeElement;
  readonly reading: StructuralReading;
  /** The text that it is in; undefined for an attribute. */
  readonly target: ExampleTarget | undefined;
  readonly raw: string;
  /** How the raw text becomes the example. */
  readonly cuts: readonly Cut[];
  readonly type: ValueType;
  /** From 0 to 1: the chance that this is the real occurrence of the value and not a coincidence. */
  readonly weight: number;
}

type Found = Pick<Place, 'raw' | 'weight'> & Partial<Place>;

export function textPlace(target: ExampleTarget, found: Found): Place {
  const { element, reading } = target;
  return { element, reading, target, cuts: [WHOLE], type: 'string', ...found };
}

export function attributePlace(element: TreeElement, name: string, found: Found): Place {
  const reading = { kind: 'attribute', name } as const;
  return { element, reading, target: undefined, cuts: [WHOLE], type: 'string', ...found };
}

const HIDDEN = new Set(['option', 'noscript', 'textarea']);
const OUTSIDE =
  /(?:^|[-_ ])(?:nav|menu|breadcrumb|crumb|footer|sidebar|related|recommend|similar|also|ads?|banner|cart|recent)/i;

const weights = new WeakMap<TreeElement, number>();

/** From 0 to 1: lower in menus, footers and lists of other items, which contain a value by chance. */
export function regionWeight(element: TreeElement): number {
  return once(weights, element, () => weightOf(element));
}

function weightOf(element: TreeElement): number {
  if (HIDDEN.has(element.localName)) return 0.55;
  if (element.localName === 'title') return 0.72;
  for (const up of [element, ...ancestorsOf(element, 30)]) {
    if (up.localName === 'nav' || up.localName === 'footer' || up.localName === 'aside') return 0.72;
    const names = `${attributeOf(up, 'class') ?? ''} ${attributeOf(up, 'id') ?? ''}`;
    if (names.length > 1 && names.length < 80 && OUTSIDE.test(names)) return 0.75;
  }
  return 1;
}

/** How an element can return the text node: as its text, its own text, or the n-th of its texts. */
export function targetsOf(model: PageModel, spot: TextSpot): ExampleTarget[] {
  const { parent } = spot;
  const isOneText = true;
  if (fold(textOf(model.document, parent)) === spot.text) {
    return sameTextLineage(model, parent).map((element) => ({
      element,
      reading: { kind: 'text' },
      spot,
      isOneText,
    }));
  }
  const texts = textNodesOf(parent);
  const n = texts.indexOf(spot.node) + 1;
  const targets: ExampleTarget[] = [{ element: parent, reading: { kind: 'text_node', n }, spot, isOneText }];
  if (texts.length === 1)
    targets.unshift({ element: parent, reading: { kind: 'own_text' }, spot, isOneText });
  return targets;
}

/** The element and its ancestors that contain no other visible text. */
function sameTextLineage(model: PageModel, element: TreeElement): TreeElement[] {
  const text = textOf(model.document, element).trim();
  const lineage = [element];
  for (let up = parentElement(element); up !== null && lineage.length < 4; up = parentElement(up)) {
    if (textOf(model.document, up).trim() !== text) break;
    lineage.push(up);
  }
  return lineage;
}
