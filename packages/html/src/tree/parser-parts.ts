import type { Parser, Token, TokenizerMode } from 'parse5';
import type { TreeMap } from './adapter.ts';

/** The tokenizer states that the tree builder can select. */
type TokenizerState = (typeof TokenizerMode)[keyof typeof TokenizerMode];

/** The members of parse5's tokenizer that the fast scanner uses. parse5 is pinned, and a test compares both. */
export interface TokenizerParts {
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
export interface ParserParts {
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
export function openParser(parser: Parser<TreeMap>): ParserParts {
  return parser as unknown as ParserParts;
}
