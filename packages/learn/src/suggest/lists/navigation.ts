import { attributeOf, elementsByTag, textOf, type PageDocument, type TreeElement } from '@gleaner/html';
import { ancestorsOf, contains } from '../page/dom.ts';
import { fold } from '../page/text.ts';

/** What leads around a site and is no data of its page. */

const AROUND = new Set(['nav', 'footer', 'header', 'select', 'head', 'thead']);
/** Parts of a page that ask for something: what stands there is no value. */
const ASKING = new Set(['form', 'dialog', 'label', 'button', 'pre', 'code']);
const ROLES = /^(?:navigation|menu|menubar|banner|contentinfo|search|tablist)$/;
const NAMES = /(?:^|[-_ ])(?:nav|navbar|navigation|submenu|breadcrumbs?|pagination|pager|footer)(?:$|[-_ ])/i;

/** A menu's text is in its links, which are short. */
const LINK_SHARE = 0.9;
const SHORT = 28;
const SEVERAL = 3;

function isAround(element: TreeElement): boolean {
  return (
    AROUND.has(element.localName) ||
    ROLES.test(attributeOf(element, 'role') ?? '') ||
    NAMES.test(`${attributeOf(element, 'class') ?? ''} ${attributeOf(element, 'id') ?? ''}`)
  );
}

/** Whether an element is in a menu, a head or a foot of the site. The header of an article belongs to it. */
export function isInNavigation(element: TreeElement): boolean {
  const above = [element, ...ancestorsOf(element)];
  const article = above.findIndex(({ localName }) => localName === 'article' || localName === 'main');
  return above
    .slice(0, article === -1 ? undefined : article)
    .some((one) => isAround(one) && one.localName !== 'body');
}

/** Whether an element is part of a form, a dialog or a listing of code. */
export function isInForm(element: TreeElement): boolean {
  return [element, ...ancestorsOf(element)].some(({ localName }) => ASKING.has(localName));
}

/** Whether rows are nothing but links: one short one each, or several. */
export function isMenu(document: PageDocument, rows: readonly TreeElement[]): boolean {
  const [pictures, links] = ['img', 'a'].map((tag) => elementsByTag(document, tag));
  let [text, linked, count] = [0, 0, 0];
  for (const row of rows) {
    if (pictures?.some((picture) => contains(row, picture))) return false;
    const inside = links?.filter((link) => contains(row, link)) ?? [];
    count += inside.length;
    text += fold(textOf(document, row)).replaceAll(' ', '').length;
    for (const link of inside) linked += fold(textOf(document, link)).replaceAll(' ', '').length;
  }
  if (linked < LINK_SHARE * text || count === 0) return false;
  return count >= SEVERAL * rows.length || linked < SHORT * count;
}
