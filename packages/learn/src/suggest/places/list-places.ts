import { elementsOf, type PageModel } from '../page/page-model.ts';
import { resolveUrl, textOf, type TreeElement } from '@gleaner/html';
import { baseOf } from '@gleaner/extractors/parts';
import { fold } from '../page/text.ts';
import {
  isSame,
  readAs,
  typeIn,
  typesFor,
  urlTail,
  type WantedValue,
  type ValueType,
} from '../values/wanted.ts';

/** The position of a list item: the element, and the part of it that is the item. */
export interface ItemPlace {
  readonly element: TreeElement;
  readonly attribute: string | undefined;
  readonly type: ValueType;
}

const MAX_PLACES = 30;

/** Elements that contain the value, first those that contain nothing else. */
export function itemPlaces(model: PageModel, wanted: WantedValue): ItemPlace[] {
  const exact: ItemPlace[] = [];
  const partial: ItemPlace[] = [];
  if (typeof wanted === 'string') {
    const text = fold(wanted);
    for (const spot of model.texts) {
      const mayHave = text.length >= 3 && spot.text.length <= text.length + 80;
      if (spot.text !== text && !(mayHave && spot.text.includes(text))) continue;
      const isWhole = spot.text === text && fold(textOf(model.document, spot.parent)) === text;
      (isWhole ? exact : partial).push({ element: spot.parent, attribute: undefined, type: 'string' });
      if (exact.length > MAX_PLACES) break;
    }
    const isUrl = /^(?:https?:\/\/|\/)\S+$/.test(text);
    const base = baseOf(model.state);
    for (const element of elementsOf(model)) {
      for (const { name, value } of element.attributes) {
        if (value === '' || name === 'class' || name === 'id' || name === 'style') continue;
        if (value === text) exact.push({ element, attribute: name, type: 'string' });
        else if (
          isUrl &&
          (name === 'href' || name === 'src') &&
          value.endsWith(urlTail(text)) &&
          resolveUrl(value, base) === text
        ) {
          exact.push({ element, attribute: name, type: 'url' });
        }
      }
    }
  } else {
    for (const type of typesFor(wanted)) {
      for (const spot of model.texts) {
        if (spot.text.length > 80 || !/\p{N}/u.test(spot.text)) continue;
        if (isSame(readAs(type, spot.text, model), wanted))
          exact.push({ element: spot.parent, attribute: undefined, type: typeIn(type, spot.text) });
      }
      if (exact.length > 0) break;
    }
  }
  return [...exact.slice(0, MAX_PLACES), ...partial.slice(0, MAX_PLACES / 2)];
}
