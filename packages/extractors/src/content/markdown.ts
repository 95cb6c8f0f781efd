import type { PageDocument, TreeElement } from '@gleaner/html';
import type { Choice } from './choice.ts';
import { escapeLineStarts, escapeText, escapeUrl } from './escape.ts';
import type { Block, Phrasing } from './nodes.ts';
import { toBlocks } from './to-nodes.ts';

/** Longer than any run of this character in the text. */
function fence(text: string, character: '`', least: number): string {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return character.repeat(Math.max(least, longest + 1));
}

function writeCode(value: string): string {
  const marks = fence(value, '`', 1);
  const needsSpace = /^`|`$|^ .* $/.test(value) && value.trim() !== '';
  return needsSpace ? `${marks} ${value} ${marks}` : `${marks}${value}${marks}`;
}

const WORD = /[\p{L}\p{N}]/u;
const SPACE = /^\s?$/;

/** A mark of emphasis in a text is escaped, so it is like any other punctuation. */
function edge(text: string, at: 0 | -1): string {
  const character = text.at(at) ?? '';
  return character === '*' || character === '_' ? '.' : character;
}

/** The first or last character that a node will have, for the rules of emphasis marks. */
function edgeOf(node: Phrasing | undefined, at: 0 | -1, otherwise: string): string {
  switch (node?.type) {
    case undefined: {
      return otherwise;
    }
    case 'text': {
      return edge(node.value, at);
    }
    case 'break': {
      return '';
    }
    case 'strong':
    case 'emphasis': {
      return edgeOf(node.children.at(at), at, '*');
    }
    case 'inlineCode': {
      return '`';
    }
    case 'image': {
      return at === 0 ? '!' : ')';
    }
    case 'link': {
      return at === 0 ? '[' : ')';
    }
  }
}

function isMark(node: Phrasing | undefined): boolean {
  return node?.type === 'strong' || node?.type === 'emphasis';
}

interface Neighbours {
  before: string;
  after: string;
  /** Whether marks may follow directly. */
  isMarkNext: boolean;
}

/** The character with which emphasis works here. None does where a word meets punctuation inside the marks. */
function markFor(
  children: readonly Phrasing[],
  { before, after, isMarkNext }: Neighbours,
): '*' | '_' | undefined {
  const first = edgeOf(children[0], 0, '');
  const last = edgeOf(children.at(-1), -1, '');
  if (SPACE.test(first) || SPACE.test(last)) return undefined;
  const opens = (WORD.test(first) && !isMark(children[0])) || !WORD.test(before);
  const closes = (WORD.test(last) && !isMark(children.at(-1))) || !WORD.test(after);
  if (!opens || !closes) return undefined;
  if (before !== '*' && after !== '*' && !isMarkNext) return '*';
  if (before === '_' || after === '_' || WORD.test(before) || WORD.test(after)) return undefined;
  return '_';
}

function writeTarget(url: string, title: string, text: string): string {
  const shown = title === '' || title === text ? '' : ` "${escapeText(title).replaceAll('"', '\\"')}"`;
  return `(${escapeUrl(url)}${shown})`;
}

const NOWHERE: Neighbours = { before: '', after: '', isMarkNext: false };

function writePhrasing(nodes: readonly Phrasing[], around: Neighbours = NOWHERE): string {
  const parts: string[] = [];
  let { before } = around;
  for (const [index, node] of nodes.entries()) {
    const next = nodes[index + 1];
    const after = next === undefined ? around.after : edgeOf(next, 0, '');
    const isMarkNext = next === undefined ? around.isMarkNext : isMark(next);
    switch (node.type) {
      case 'text': {
        const text = escapeText(node.value);
        // Before a link, an exclamation mark would make it an image.
        parts.push(after === '[' ? text.replace(/!$/, '\\!') : text);
        before = edge(node.value, -1);
        break;
      }
      case 'break': {
        parts.push('  \n');
        before = '';
        break;
      }
      case 'inlineCode': {
        parts.push(writeCode(node.value));
        before = '`';
        break;
      }
      case 'image': {
        parts.push(`![${escapeText(node.alt)}]${writeTarget(node.url, node.title, node.alt)}`);
        before = ')';
        break;
      }
      case 'link': {
        const text = writePhrasing(node.children, { before: '[', after: ']', isMarkNext: false });
        parts.push(`[${text}]${writeTarget(node.url, node.title, text)}`);
        before = ')';
        break;
      }
      case 'strong':
      case 'emphasis': {
        const mark = markFor(node.children, { before, after, isMarkNext });
        const marks = mark === undefined ? '' : mark.repeat(node.type === 'strong' ? 2 : 1);
        const inside =
          mark === undefined
            ? { before, after, isMarkNext }
            : { before: mark, after: mark, isMarkNext: false };
        parts.push(marks, writePhrasing(node.children, inside), marks);
        before = mark ?? edgeOf(node, -1, before);
        break;
      }
    }
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
  return block.type !== 'list' || block.start === undefined || block.start === 1 || before.type === 'list';
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

function writeList({ start, items }: Extract<Block, { type: 'list' }>, isSecond: boolean): string {
  const isDense = isTight(items);
  const lines = items.map((blocks, index) => {
    const marker =
      start === undefined ? (isSecond ? '* ' : '- ') : `${start + index}${isSecond ? ')' : '.'} `;
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
      const marks = fence(block.value, '`', 3);
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
      (before.start === undefined) === (block.start === undefined);
    isSecond = follows && !isSecond;
    if (index > 0) text += isDense && !follows ? '\n' : '\n\n';
    text += writeBlock(block, isSecond);
  }
  return text;
}

const AS_SHOWN: Choice = { without: new Set(), revealed: new Set() };

/**
 * Writes the elements as Markdown: CommonMark with tables, and links resolved against `base`. Takes time linear in the
 * page. Lists and quotes nest at most a dozen levels.
 */
export function markdownOf(
  document: PageDocument,
  elements: readonly TreeElement[],
  base: string | undefined,
  choice = AS_SHOWN,
): string {
  return writeBlocks(toBlocks(document, elements, base, choice), false);
}
