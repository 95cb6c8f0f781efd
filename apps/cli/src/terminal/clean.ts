import { stripVTControlCharacters } from 'node:util';

/** Control characters but for tab and newline, and marks that reverse the order of text. */
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

/** Text of web pages without the sequences by which it could steer a terminal. */
export function clean(text: string): string {
  return stripVTControlCharacters(text).replaceAll(CONTROLS, '');
}

/** The same on one line, for a cell of a table. */
export function cleanCell(text: string): string {
  return clean(text.replaceAll(/\s+/g, ' '));
}
