import { type PageDocument, PageRejected, parseHtml, readPageText } from '@gleaner/html';
import { markdownOf } from './markdown.ts';

/** How a tag begins, and character references: without either a text is no HTML, and its line ends mean themselves. */
const TAG = /<[a-z!/]/i;
const REFERENCE = /&(?:#\d+|#x[\da-f]+|[a-z]\w*);/i;

function hasMarkup(text: string): boolean {
  return (TAG.test(text) && text.includes('>')) || REFERENCE.test(text);
}

function parseText(text: string): PageDocument | undefined {
  if (!hasMarkup(text)) return undefined;
  try {
    return parseHtml(text);
  } catch (error) {
    if (error instanceof PageRejected) return undefined;
    throw error;
  }
}

/** HTML in a text, as data embedded in pages often has it, as readable text; a text without markup stays as it is. */
export function readHtmlText(text: string): string {
  const document = parseText(text);
  return document === undefined ? text : readPageText(document);
}

/** HTML in a text as Markdown; a text without markup stays as it is. */
export function htmlTextToMarkdown(text: string, base: string | undefined): string {
  const document = parseText(text);
  const body = document?.elements.find(({ localName }) => localName === 'body');
  return document === undefined || body === undefined ? text : markdownOf(document, [body], base);
}
