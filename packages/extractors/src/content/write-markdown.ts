import type { Block, Phrasing } from './nodes.ts';

/** Characters with a meaning anywhere in a line of Markdown, also together with the text that follows. */
const ANYWHERE =
  /[\\`*[\]]|<(?=[a-z/!?]|$)|~(?=~)|(?<=[\p{L}\p{N}~])~|(?<=\S)~(?![\p{L}\p{N}])|&(?=#?\w*(?:;|$))/giu;
/** An underscore inside a word is plain text. */
const UNDERLINE = /(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** Escapes a text so that Markdown shows it unchanged anywhere in a line. */
function escapeText(text: string): string {
  const escaped = text.replaceAll(ANYWHERE, (character) => (character === '&' ? '&amp;' : `\\${character}`));
  return escaped.includes('_') ? escaped.replaceAll(UNDERLINE, '\\_') : escaped;
}

const LINE_START = /^(?:[-+](?=\s|$)|-(?=[-\s]*$)|#(?=#{0,5}(?:\s|$))|>|=(?==*\s*$))/;

/** A start of a line that Markdown would read as a heading, list or quote. */
function escapeLineStart(line: string): string {
  if (LINE_START.test(line)) return `\\${line}`;
  return line.replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2');
}

function escapeLineStarts(text: string): string {
  return text.split('\n').map(escapeLineStart).join('\n');
}

/** Balanced parentheses are allowed in an address. */
function isBalanced(url: string): boolean {
  let open = 0;
  for (const character of url) {
    if (character === '(') open += 1;
    if (character === ')') open -= 1;
    if (open < 0 || open > 30) return false;
  }
  return open === 0;
}

/** The address for use between the parentheses of a link. */
function escapeUrl(url: string): string {
  const plain = url
    .replaceAll(/[\s<>\\]/g, (character) => encodeURIComponent(character))
    .replaceAll(/&(?=#?\w+;)/g, '&amp;');
  return isBalanced(plain) ? plain : plain.replaceAll(/[()]/g, '\\$&');
}

/** Longer than any run of backticks in the text. */
function fence(text: string, least: number): string {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return '`'.repeat(Math.max(least, longest + 1));
}

function writeCode(value: string): string {
  const marks = fence(value, 1);
  const needsSpace = /^`|`$|^ .* $/.test(value) && value.trim() !== '';
  return needsSpace ? `${marks} ${value} ${marks}` : `${marks}${value}${marks}`;
}

const WORD = /[\p{L}\p{N}]/u;
const SPACE = /^\s?$/;

/** A mark of emphasis in a text is escaped, so it is like any other punctuation. */
function edge(text: string, at: 0 | -1): string {
  const character = text.at(at) ?? '';
  return character === '*' || character === '_' || character === '~' ? '.' : character;
}

/** The first and last characters of nodes that always have the same. */
const EDGES = {
  break: ['', ''],
  inlineCode: ['`', '`'],
  image: ['!', ')'],
  link: ['[', ')'],
  checkBox: ['[', ']'],
} as const;

/** The first or last character that a node will have, for the rules of emphasis marks. */
function edgeOf(node: Phrasing | undefined, at: 0 | -1, otherwise: string): string {
  if (node === undefined) return otherwise;
  if (node.type === 'struck') return '~';
  if (isMark(node)) return edgeOf(node.children.at(at), at, '*');
  return node.type === 'text' ? edge(node.value, at) : (EDGES[node.type].at(at) ?? '');
}

type Marked = Extract<Phrasing, { type: 'strong' | 'emphasis' | 'struck' }>;

function isMark(node: Phrasing | undefined): node is Marked {
  return node?.type === 'strong' || node?.type === 'emphasis' || node?.type === 'struck';
}

interface Neighbours {
  before: string;
  after: string;
  /** Whether marks may follow directly. */
  isMarkNext: boolean;
}

type Mark = '*' | '_' | '~';

/** The character with which the mark works here. None does where a word meets punctuation inside the marks. */
function markFor({ type, children }: Marked, { before, after, isMarkNext }: Neighbours): Mark | undefined {
  const first = edgeOf(children[0], 0, '');
  const last = edgeOf(children.at(-1), -1, '');
  if (SPACE.test(first) || SPACE.test(last)) return undefined;
  const opens = (WORD.test(first) && !isMark(children[0])) || !WORD.test(before);
  const closes = (WORD.test(last) && !isMark(children.at(-1))) || !WORD.test(after);
  if (!opens || !closes) return undefined;
  if (type === 'struck') return before === '~' || after === '~' ? undefined : '~';
  if (before !== '*' && after !== '*' && !isMarkNext) return '*';
  if (before === '_' || after === '_' || WORD.test(before) || WORD.test(after)) return undefined;
  return '_';
}

function writeTarget(url: string, title: string, text: string): string {
  const shown = title === '' || title === text ? '' : ` "${escapeText(title).replaceAll('"', '\\"')}"`;
  return `(${escapeUrl(url)}${shown})`;
}

const NOWHERE: Neighbours = { before: '', after: '', isMarkNext: false };

function writeMarked({ type, children }: Marked, around: Neighbours, mark: Mark | undefined): string {
  if (mark === undefined) return writePhrasing(children, around);
  const marks = mark.repeat(type === 'emphasis' ? 1 : 2);
  return `${marks}${writePhrasing(children, { before: mark, after: mark, isMarkNext: false })}${marks}`;
}

/** A text between the characters around it. */
function writeText(value: string, before: string, after: string): string {
  let text = escapeText(value);
  if (before === '~' && text.startsWith('~')) text = `\\${text}`;
  // Before a link, an exclamation mark would make it an image; a tilde would lengthen a mark.
  if (after === '[') text = text.replace(/!$/, '\\!');
  return after === '~' ? text.replace(/(^|\s)~$/, '$1\\~') : text;
}

function writeNode(node: Exclude<Phrasing, Marked>, { before, after }: Neighbours): string {
  switch (node.type) {
    case 'text': {
      return writeText(node.value, before, after);
    }
    case 'checkBox': {
      return node.isChecked ? '[x]' : '[ ]';
    }
    case 'break': {
      return '  \n';
    }
    case 'inlineCode': {
      return writeCode(node.value);
    }
    case 'image': {
      return `![${escapeText(node.alt)}]${writeTarget(node.url, node.title, node.alt)}`;
    }
    case 'link': {
      const text = writePhrasing(node.children, { before: '[', after: ']', isMarkNext: false });
      return `[${text}]${writeTarget(node.url, node.title, text)}`;
    }
  }
}

function writePhrasing(nodes: readonly Phrasing[], around: Neighbours = NOWHERE): string {
  const parts: string[] = [];
  let { before } = around;
  for (const [index, node] of nodes.entries()) {
    const next = nodes[index + 1];
    const after = edgeOf(next, 0, around.after);
    const here = { before, after, isMarkNext: next === undefined ? around.isMarkNext : isMark(next) };
    const mark = isMark(node) ? markFor(node, here) : undefined;
    parts.push(isMark(node) ? writeMarked(node, here, mark) : writeNode(node, here));
    before = mark ?? edgeOf(node, -1, before);
  }
  return parts.join('');
}

function indent(text: string, first: string, rest: string): string {
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? first + line : line === '' ? line : rest + line))
    .join('\n');
}

const INTERRUPTS = new Set<Block['type']>(['heading', 'code', 'rule', 'blockquote', 'list']);
const ENDS_ITSELF = new Set<Block['type']>(['heading', 'code', 'rule']);

/** Whether a block can stand in the line after another one. */
function canFollow(before: Block, block: Block): boolean {
  if (ENDS_ITSELF.has(before.type)) return true;
  if (before.type === block.type || before.type === 'table' || !INTERRUPTS.has(block.type)) return false;
  return block.type !== 'list' || (block.numbers?.[0] ?? 1) === 1 || before.type === 'list';
}

/** A tight list has no empty lines: neither paragraphs of their own nor blocks that need one between them. */
function isTight(items: readonly Block[][]): boolean {
  return items.every((blocks) =>
    blocks.every((block, index) => {
      const before = blocks[index - 1];
      return (
        !(block.type === 'paragraph' && block.isOwn) && (before === undefined || canFollow(before, block))
      );
    }),
  );
}

function writeList({ numbers, items }: Extract<Block, { type: 'list' }>, isSecond: boolean): string {
  const isDense = isTight(items);
  const lines = items.map((blocks, index) => {
    const marker =
      numbers === undefined ? (isSecond ? '* ' : '- ') : `${numbers[index] ?? 1}${isSecond ? ')' : '.'} `;
    return indent(writeBlocks(blocks, isDense), marker, ' '.repeat(marker.length));
  });
  return lines.join(isDense ? '\n' : '\n\n');
}

function writeRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function writeTable(rows: readonly Phrasing[][][]): string {
  const [head = [], ...body] = rows.map((row) =>
    row.map((cell) => writePhrasing(cell).replaceAll('|', '\\|')),
  );
  return [writeRow(head), writeRow(head.map(() => '---')), ...body.map(writeRow)].join('\n');
}

/** `isSecond`: another list directly precedes this one; the same marks would continue it. */
function writeBlock(block: Block, isSecond: boolean): string {
  switch (block.type) {
    case 'paragraph': {
      return escapeLineStarts(writePhrasing(block.children));
    }
    case 'heading': {
      const text = writePhrasing(block.children).replaceAll('\n', ' ');
      return `${'#'.repeat(block.depth)} ${text.replace(/(^| )(#+)$/, '$1\\$2')}`;
    }
    case 'code': {
      const marks = fence(block.value, 3);
      return `${marks}${block.language}\n${block.value}${block.value === '' ? '' : '\n'}${marks}`;
    }
    case 'rule': {
      return '***';
    }
    case 'blockquote': {
      return writeBlocks(block.children, false).replaceAll(/^/gm, '> ').replaceAll(/^> $/gm, '>');
    }
    case 'list': {
      return writeList(block, isSecond);
    }
    case 'table': {
      return writeTable(block.rows);
    }
  }
}

function writeBlocks(blocks: readonly Block[], isDense: boolean): string {
  let text = '';
  let isSecond = false;
  for (const [index, block] of blocks.entries()) {
    const before = blocks[index - 1];
    const follows =
      before?.type === 'list' &&
      block.type === 'list' &&
      (before.numbers === undefined) === (block.numbers === undefined);
    isSecond = follows && !isSecond;
    if (index > 0) text += isDense && !follows ? '\n' : '\n\n';
    text += writeBlock(block, isSecond);
  }
  return text;
}

/** Writes blocks as Markdown. */
export function writeMarkdown(blocks: readonly Block[]): string {
  return writeBlocks(blocks, false);
}
