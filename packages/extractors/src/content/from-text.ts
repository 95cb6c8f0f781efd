import { type PageDocument, PageRejected, parseHtml, readPageText } from '@gleaner/html';
import { markdownOf } from './markdown.ts';

/** The start of a tag, and character references. A text with neither is plain text and keeps its line ends. */
const TAG = /<[a-z!/]/i;
const REFERENCE = /&(?:#\d+|#x[\da-f]+|[a-z]\w*);/i;

function parseText(text: string): PageDocument | undefined {
  const hasTag = TAG.test(text) && text.includes('>');
  if (!hasTag && !REFERENCE.test(text)) return undefined;
  try {
    return parseHtml(text);
  } catch (error) {
    if (error instanceof PageRejected) return undefined;
    throw error;
  }
}

/** Readable text from HTML inside a text, which embedded data often contains. Text without markup stays unchanged. */
export function readHtmlText(text: string): string {
  const document = parseText(text);
  return document === undefined ? text : readPageText(document);
}

/** Markdown from HTML inside a text. Text without markup stays unchanged. */
export function htmlTextToMarkdown(text: string, base: string | undefined): string {
  const document = parseText(text);
  const body = document?.elements.find(({ localName }) => localName === 'body');
  return document === undefined || body === undefined ? text : markdownOf(document, [body], base);
}
