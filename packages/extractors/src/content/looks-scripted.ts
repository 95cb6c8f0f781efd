import {
  attributeOf,
  elementsByTag,
  readPageText,
  readTextOf,
  textOf,
  type PageDocument,
} from '@gleaner/html';

/** Characters of text that a page without content has: a title of its frame, a notice, a spinner. */
const LITTLE_TEXT = 200;
/** Characters of text beside an empty root: menus and footers that came with the page. */
const FRAME_TEXT = 1_000;
/** Characters of an inline script that is a program or data, and no snippet of a counter. */
const PROGRAM = 2_000;
/** What fills a page writes so; snippets of counters only insert their own script. */
const WRITING =
  /\.(?:innerHTML|textContent|innerText)\s*\+?=|\b(?:insertAdjacentHTML|appendChild|append|prepend|replaceChildren|replaceWith|createRoot|hydrateRoot|createApp)\(|\bdocument\.write/;
const ROOT_NAMES = new Set([
  'root',
  'app',
  '__next',
  '__nuxt',
  '___gatsby',
  'svelte',
  'main-app',
  'react-root',
]);
const ROOT_TAGS = ['app-root', 'my-app', 'ion-app'] as const;

/** Whether a script of the page may be what fills it: a file, a program, or a few lines that write into the page. */
function hasBundle(document: PageDocument): boolean {
  return elementsByTag(document, 'script').some((script) => {
    if (attributeOf(script, 'src') !== undefined) return true;
    const text = textOf(document, script);
    return text.length > PROGRAM || WRITING.test(text);
  });
}

function hasEmptyRoot(document: PageDocument): boolean {
  const roots = [
    ...elementsByTag(document, 'div').filter((element) => ROOT_NAMES.has(attributeOf(element, 'id') ?? '')),
    ...ROOT_TAGS.flatMap((tag) => elementsByTag(document, tag)),
  ];
  return roots.some((root) => readTextOf(document, root).trim() === '');
}

/** @param pageText a `<noscript>` of the head with text ends before it, which then is text of the page */
function asksForScripts(document: PageDocument, pageText: string): boolean {
  const texts = elementsByTag(document, 'noscript').map((element) => textOf(document, element));
  return texts.length > 0 && /java\s?script/i.test([pageText, ...texts].join(' '));
}

/**
 * Whether scripts fill the page, so that plain HTTP reads only its shell: next to no text beside bundles, an empty root
 * beside bundles, or a `<noscript>` that asks for JavaScript and no text of the page's own. Pure.
 */
export function looksScripted(document: PageDocument): boolean {
  const text = readPageText(document).replace(/\s+/g, ' ').trim();
  const { length } = text;
  if (length >= FRAME_TEXT) return false;
  const isBundled = hasBundle(document);
  if (length < LITTLE_TEXT) return isBundled || asksForScripts(document, text);
  return isBundled && hasEmptyRoot(document);
}
