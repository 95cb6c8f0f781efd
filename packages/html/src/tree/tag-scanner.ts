import { html, Token } from 'parse5';
import { decodeReferences } from './character-references.ts';

/** From this number of attributes on, duplicate names are found with a set instead of a scan. */
const SCANNED_ATTRIBUTES = 32;

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0c;
}

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

/** Lower-cases ASCII letters only, as the tokenizer's rules require. */
function lowered(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

export interface ScannedTag {
  token: Token.TagToken;
  /** Index after the closing `>`. */
  end: number;
}

function newToken(type: Token.TagToken['type'], tagName: string, attrs: Token.Attribute[]): Token.TagToken {
  return {
    type,
    tagName,
    tagID: html.getTagID(tagName),
    selfClosing: false,
    ackSelfClosing: false,
    attrs,
    location: null,
  };
}

function hasName(attrs: readonly Token.Attribute[], name: string): boolean {
  for (let index = 0; index < attrs.length; index += 1) if (attrs[index]?.name === name) return true;
  return false;
}

/**
 * Reads a start tag; `at` is the index of its name. Undefined when the page ends inside the tag, or when parse5 must
 * decode one of its character references.
 */
export function scanStartTag(text: string, at: number): ScannedTag | undefined {
  const { length } = text;
  let index = at + 1;
  let hasCapital = false;
  let code = text.charCodeAt(at);
  if (code <= 0x5a) hasCapital = true;
  for (; index < length; index += 1) {
    code = text.charCodeAt(index);
    if (code === 0x3e || code === 0x2f || isSpace(code)) break;
    if (code >= 0x41 && code <= 0x5a) hasCapital = true;
  }
  if (index >= length) return undefined;
  const name = text.slice(at, index);
  const attrs: Token.Attribute[] = [];
  const token = newToken(Token.TokenType.START_TAG, hasCapital ? lowered(name) : name, attrs);
  let names: Set<string> | null = null;

  for (;;) {
    while (index < length && isSpace(text.charCodeAt(index))) index += 1;
    if (index >= length) return undefined;
    code = text.charCodeAt(index);
    if (code === 0x3e) return { token, end: index + 1 };
    if (code === 0x2f) {
      index += 1;
      if (text.charCodeAt(index) === 0x3e) {
        token.selfClosing = true;
        return { token, end: index + 1 };
      }
      continue;
    }

    // Attribute name; an equals sign is part of it when it comes first.
    const nameStart = index;
    let capital = code >= 0x41 && code <= 0x5a;
    index += 1;
    for (; index < length; index += 1) {
      code = text.charCodeAt(index);
      if (code === 0x3d || code === 0x3e || code === 0x2f || isSpace(code)) break;
      if (code >= 0x41 && code <= 0x5a) capital = true;
    }
    if (index >= length) return undefined;
    const written = text.slice(nameStart, index);
    const attribute: Token.Attribute = { name: capital ? lowered(written) : written, value: '' };

    while (index < length && isSpace(text.charCodeAt(index))) index += 1;
    if (text.charCodeAt(index) === 0x3d) {
      index += 1;
      while (index < length && isSpace(text.charCodeAt(index))) index += 1;
      if (index >= length) return undefined;
      code = text.charCodeAt(index);
      let valueStart = index;
      if (code === 0x22 || code === 0x27) {
        valueStart = index + 1;
        index = text.indexOf(code === 0x22 ? '"' : "'", valueStart);
        if (index === -1) return undefined;
        attribute.value = text.slice(valueStart, index);
        index += 1;
      } else if (code !== 0x3e) {
        for (; index < length; index += 1) {
          code = text.charCodeAt(index);
          if (code === 0x3e || isSpace(code)) break;
        }
        if (index >= length) return undefined;
        attribute.value = text.slice(valueStart, index);
      }
      if (attribute.value.includes('&')) {
        const { decoded, stop } = decodeReferences(attribute.value, 0, true);
        if (stop !== -1) return undefined;
        attribute.value = decoded;
      }
    }

    if (names === null && attrs.length >= SCANNED_ATTRIBUTES) names = new Set(attrs.map((attr) => attr.name));
    if (names === null ? hasName(attrs, attribute.name) : names.has(attribute.name)) continue;
    names?.add(attribute.name);
    attrs.push(attribute);
  }
}

/** Reads an end tag; `at` is the index of its name. Undefined when it contains more than a name. */
export function scanEndTag(text: string, at: number): ScannedTag | undefined {
  const { length } = text;
  let index = at;
  let hasCapital = false;
  for (; index < length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x3e || code === 0x2f || isSpace(code)) break;
    if (code >= 0x41 && code <= 0x5a) hasCapital = true;
  }
  const name = text.slice(at, index);
  while (index < length && isSpace(text.charCodeAt(index))) index += 1;
  if (text.charCodeAt(index) !== 0x3e) return undefined;
  return { token: newToken(Token.TokenType.END_TAG, hasCapital ? lowered(name) : name, []), end: index + 1 };
}

export { isLetter, isSpace };
