import type { FieldObject } from '@gleaner/contracts';
import { pictureAttribute } from './picture-attribute.ts';

/** What of an element the panel needs. */
type Clicked = Pick<Element, 'localName' | 'textContent' | 'getAttribute' | 'hasAttribute'> & {
  querySelectorAll(selector: string): ArrayLike<Pick<Element, 'getAttribute' | 'hasAttribute'>>;
};

/** One thing that a field can read of the clicked element. */
export interface Reading {
  label: 'Text' | 'Address' | 'Picture' | 'Description';
  field: FieldObject;
}

const NEXT =
  /^\W*(?:(?:next|load|show|older|view) ?(?:page|more|posts|results|entries)?|weiter|nächste(?: seite)?|(?:page )?suivante?|siguiente|(?:pagina )?successiva|próxima|volgende|följande|nästa|далее|следующая|次へ?|下一页)\W*$|^\s*[›»→>]+\s*$/iu;

/** Whether a link leads to the next page of a list: by its `rel`, or by what it says. */
export function isNextLink(element: Clicked): boolean {
  if (element.localName !== 'a' || !element.hasAttribute('href')) return false;
  if (/(?:^|\s)next(?:\s|$)/i.test(element.getAttribute('rel') ?? '')) return true;
  const said = [element.textContent, element.getAttribute('aria-label'), element.getAttribute('title')];
  return said.some((text) => text !== null && text.trim() !== '' && NEXT.test(text.trim()));
}

/** What a field can read of a link or a picture; none of other elements, which have their text alone. */
export function readingsOf(element: Clicked, selector: string): Reading[] {
  const pictureOf = (image: Pick<Element, 'getAttribute' | 'hasAttribute'>, css: string): Reading => ({
    label: 'Picture',
    field: { css: `${css}@${pictureAttribute(image)}`, type: 'url' },
  });
  if (element.localName === 'img') {
    const picture = pictureOf(element, selector);
    const says = (element.getAttribute('alt') ?? '').trim() !== '';
    return says ? [picture, { label: 'Description', field: { css: `${selector}@alt` } }] : [];
  }
  if (element.localName !== 'a' || !element.hasAttribute('href')) return [];
  const [image] = Array.from(element.querySelectorAll('img'));
  return [
    ...((element.textContent ?? '').trim() === ''
      ? []
      : [{ label: 'Text' as const, field: { css: selector } }]),
    { label: 'Address', field: { css: `${selector}@href`, type: 'url' } },
    ...(image === undefined ? [] : [pictureOf(image, `${selector} img`)]),
  ];
}
