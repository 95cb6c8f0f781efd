import { Token, TokenizerMode, type Parser } from 'parse5';
import { decodeReferences } from './character-references.ts';
import { isLetter, isSpace, scanEndTag, scanStartTag } from './tag-scanner.ts';
import type { TreeMap } from './adapter.ts';

/** The tokenizer states that the tree builder can select. */
type TokenizerState = (typeof TokenizerMode)[keyof typeof TokenizerMode];

/** The members of parse5's tokenizer that the fast scanner uses. parse5 is pinned, and a test compares both. */
interface TokenizerParts {
  state: TokenizerState;
  lastStartTagName: string;
  active: boolean;
  paused: boolean;
  inLoop: boolean;
  inForeignNode: boolean;
  consumedAfterSnapshot: number;
  readonly currentCharacterToken: Token.CharacterToken | null;
  readonly preprocessor: {
    html: string;
    pos: number;
    bufferWaterline: number;
  };
  write: (text: string, isLast: boolean) => void;
  _runParsingLoop: () => void;
  _consume: () => number;
  _ensureHibernation: () => boolean;
  _callState: (codePoint: number) => void;
  _emitCurrentCharacterToken: (next: null) => void;
}

/** The members of parse5's tree builder that the fast scanner uses. */
interface ParserParts {
  insertionMode: number;
  skipNextNewLine: boolean;
  readonly document: TreeMap['document'];
  readonly tokenizer: TokenizerParts;
  onStartTag: (token: Token.TagToken) => void;
  onEndTag: (token: Token.TagToken) => void;
  onComment: (token: Token.CommentToken) => void;
  onCharacter: (token: Token.CharacterToken) => void;
  onWhitespaceCharacter: (token: Token.CharacterToken) => void;
}

/** parse5 declares these members private or internal, so its types do not show them. */
function openParser(parser: Parser<TreeMap>): ParserParts {
  return parser as unknown as ParserParts;
}

type OpenParser = Parameters<typeof openParser>[0];

/** Insertion modes (parse5's InsertionMode) that treat white space like other text. */
const IN_BODY = 6;
const TEXT = 7;
const IN_CAPTION = 10;
const IN_CELL = 14;

function isOneKindMode(mode: number): boolean {
  return mode === IN_BODY || mode === TEXT || mode === IN_CELL || mode === IN_CAPTION;
}

/** After `<`: a letter, `/`, `!` or `?`. */
function beginsMarkup(code: number): boolean {
  return isLetter(code) || code === 0x2f || code === 0x21 || code === 0x3f;
}

function characterToken(
  type: Token.TokenType.CHARACTER | Token.TokenType.WHITESPACE_CHARACTER,
  chars: string,
): Token.CharacterToken {
  return { type, chars, location: null };
}

function isAllSpace(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (!isSpace(text.charCodeAt(index))) return false;
  return true;
}

function emitOne(parser: ParserParts, text: string): void {
  if (isAllSpace(text)) {
    parser.onWhitespaceCharacter(characterToken(Token.TokenType.WHITESPACE_CHARACTER, text));
  } else {
    parser.onCharacter(characterToken(Token.TokenType.CHARACTER, text));
  }
}

function emitText(parser: ParserParts, text: string): void {
  const { tokenizer } = parser;
  const pieces = /[ \t\n\f]+|[^ \t\n\f]+/g;
  let from = 0;
  while (from < text.length) {
    const isOneKind = isOneKindMode(parser.insertionMode) || tokenizer.inForeignNode;
    if (isOneKind && !parser.skipNextNewLine) {
      emitOne(parser, from === 0 ? text : text.slice(from));
      return;
    }
    // Other modes distinguish them: they drop white space before <html>, and keep only white space in a frameset.
    pieces.lastIndex = from;
    const piece = pieces.exec(text)?.[0] ?? '';
    emitOne(parser, piece);
    from += piece.length;
  }
}

/** Finds positions of a text in the page. Calls must ascend, so that each part of the page is searched once. */
function createFinder(html: string, needle: string): (from: number) => number {
  let found = -2;
  return (from) => {
    if (found === -1 || found >= from) return found;
    found = html.indexOf(needle, from);
    return found;
  };
}

/** Finds the next `<` that begins a tag or comment; any other `<` is text. parse5 decides about one at the very end. */
function createTagFinder(html: string): (from: number) => number {
  const nextLessThan = createFinder(html, '<');
  return (from) => {
    let at = nextLessThan(from);
    while (at !== -1 && at + 1 < html.length && !beginsMarkup(html.charCodeAt(at + 1)))
      at = nextLessThan(at + 1);
    return at;
  };
}

/** Reads a comment. @returns the index after it, or the complement of `from` where parse5 must read */
function readComment(
  parser: ParserParts,
  html: string,
  from: number,
  nextBang: (from: number) => number,
): number {
  const start = from + 4;
  if (!html.startsWith('<!--', from)) return ~from;
  // `<!-->`, `<!--->` and `--!>` end a comment too; parse5 reads those.
  if (html.charCodeAt(start) === 0x3e || html.startsWith('->', start)) return ~from;
  const end = html.indexOf('-->', start);
  const bang = nextBang(start);
  if (end === -1 || (bang !== -1 && bang < end)) return ~from;
  parser.onComment({ type: Token.TokenType.COMMENT, data: html.slice(start, end), location: null });
  return end + 3;
}

/** Index of the `</name` that ends the raw text, or the page's length. */
function rawEnd(html: string, name: string, from: number): number {
  let at = html.indexOf('</', from);
  while (at !== -1) {
    const after = at + 2 + name.length;
    const code = html.charCodeAt(after);
    if (isSpace(code) || code === 0x3e || code === 0x2f) {
      if (html.slice(at + 2, after).toLowerCase() === name) return at;
    }
    at = html.indexOf('</', at + 2);
  }
  return html.length;
}

/** Scans one page's plain tokens. Each step returns the index it reached, or its complement (~) where it gives up. */
function createScanner(parser: ParserParts, html: string): { scan: () => void } {
  const { tokenizer } = parser;
  const { preprocessor } = tokenizer;
  const { length } = html;
  const nextTag = createTagFinder(html);
  const nextReference = createFinder(html, '&');
  const nextComment = createFinder(html, '<!--');
  const nextBang = createFinder(html, '--!>');

  const text = (from: number, to: number, hasReferences: boolean): number => {
    if (from === to) return to;
    const reference = hasReferences ? nextReference(from) : -1;
    if (reference === -1 || reference >= to) {
      emitText(parser, html.slice(from, to));
      return to;
    }
    const { decoded, stop } = decodeReferences(html.slice(from, to), 0, false);
    emitText(parser, decoded);
    return stop === -1 ? to : ~(from + stop);
  };

  const markup = (from: number): number => {
    const code = html.charCodeAt(from + 1);
    if (isLetter(code)) {
      const tag = scanStartTag(html, from + 1);
      if (tag === undefined) return ~from;
      tokenizer.lastStartTagName = tag.token.tagName;
      parser.onStartTag(tag.token);
      return tag.end;
    }
    if (code === 0x2f) {
      if (!isLetter(html.charCodeAt(from + 2))) return ~from;
      const tag = scanEndTag(html, from + 2);
      if (tag === undefined) return ~from;
      parser.onEndTag(tag.token);
      return tag.end;
    }
    return code === 0x21 ? readComment(parser, html, from, nextBang) : ~from;
  };

  const data = (from: number): number => {
    if (nextTag(from) === from) return markup(from);
    const next = nextTag(from);
    const end = text(from, next === -1 ? length : next, true);
    return end === length ? ~end : end;
  };

  const rawText = (from: number): number => {
    const isScript = tokenizer.state === TokenizerMode.SCRIPT_DATA;
    const end = rawEnd(html, tokenizer.lastStartTagName, from);
    const escape = isScript ? nextComment(from) : -1;
    // `<!--` changes how a script ends, so parse5 continues from there.
    if (escape !== -1 && escape < end) {
      emitText(parser, html.slice(from, escape));
      return ~escape;
    }
    const reached = text(from, end, tokenizer.state === TokenizerMode.RCDATA);
    if (reached < 0 || reached === length) return reached < 0 ? reached : ~reached;
    const tag = scanEndTag(html, end + 2);
    if (tag === undefined) return ~end;
    tokenizer.state = TokenizerMode.DATA;
    parser.onEndTag(tag.token);
    return tag.end;
  };

  return {
    scan() {
      if (tokenizer.currentCharacterToken !== null) tokenizer._emitCurrentCharacterToken(null);
      let at = preprocessor.pos + 1;
      while (at >= 0 && at < length && tokenizer.state <= TokenizerMode.SCRIPT_DATA) {
        at = tokenizer.state === TokenizerMode.DATA ? data(at) : rawText(at);
      }
      preprocessor.pos = (at < 0 ? ~at : at) - 1;
    },
  };
}

/**
 * Feeds a page to parse5's tree builder through a scanner that reads whole tags and texts at once. parse5's tokenizer
 * reads single code points, which is nine tenths of its work. It still reads everything unusual, from the index where
 * the scanner gives up to the next plain token.
 */
export function writeFast(parser: OpenParser, page: string): void {
  const parts = openParser(parser);
  const { tokenizer } = parts;
  const html = page.includes('\r') ? page.replaceAll(/\r\n?/g, '\n') : page;
  // Each tokenizer state treats NUL differently. Such pages are rare, so parse5 reads them.
  if (html.includes('\0')) {
    tokenizer.write(html, true);
    return;
  }
  // parse5 must not drop parsed input, so that positions stay valid.
  tokenizer.preprocessor.bufferWaterline = Infinity;
  const { scan } = createScanner(parts, html);
  tokenizer._runParsingLoop = () => {
    if (tokenizer.inLoop) return;
    tokenizer.inLoop = true;
    while (tokenizer.active && !tokenizer.paused) {
      if (tokenizer.state <= TokenizerMode.SCRIPT_DATA) scan();
      tokenizer.consumedAfterSnapshot = 0;
      const codePoint = tokenizer._consume();
      if (!tokenizer._ensureHibernation()) tokenizer._callState(codePoint);
    }
    tokenizer.inLoop = false;
  };
  tokenizer.write(html, true);
}
