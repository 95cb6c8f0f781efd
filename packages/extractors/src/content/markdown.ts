import type { PageDocument, TreeElement } from '@gleaner/html';
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
  const needsSpace = /^[ `]|[ `]$/.test(value) && value.trim() !== '';
  return needsSpace ? `${marks} ${value} ${marks}` : `${marks}${value}${marks}`;
}

const WORD = /[\p{L}\p{N}]/u;

/** Whether emphasis marks work between these characters. They don't where a word meets punctuation inside the marks. */
function canMark(before: string, inner: string, after: string): boolean {
  const first = inner.at(0) ?? '';
  const last = inner.at(-1) ?? '';
  if (before === '*' || after === '*' || first === '*' || last === '*') return false;
  return (WORD.test(first) || !WORD.test(before)) && (WORD.test(last) || !WORD.test(after));
}

/** The next character, for the rules of emphasis marks. */
function firstOf(node: Phrasing | undefined): string {
  if (node === undefined || node.type === 'break') return '';
  if (node.type === 'text') return node.value.at(0) ?? '';
  return node.type === 'strong' || node.type === 'emphasis' ? '*' : '[';
}

function writePhrasing(nodes: readonly Phrasing[]): string {
  let text = '';
  for (const [index, node] of nodes.entries()) {
    switch (node.type) {
      case 'text': {
        text += escapeText(node.value);
        break;
      }
      case 'break': {
        text += '  \n';
        break;
      }
      case 'inlineCode': {
        text += writeCode(node.value);
        break;
      }
      case 'image': {
        text += `![${escapeText(node.alt)}](${escapeUrl(node.url)})`;
        break;
      }
      case 'link': {
        // Before a link, an exclamation mark would make it an image.
        if (text.endsWith('!')) text = `${text.slice(0, -1)}\\!`;
        text += `[${writePhrasing(node.children)}](${escapeUrl(node.url)})`;
        break;
      }
      case 'strong':
      case 'emphasis': {
        const inner = writePhrasing(node.children);
        const marks = node.type === 'strong' ? '**' : '*';
        const isMarked = canMark(text.at(-1) ?? '', inner, firstOf(nodes[index + 1]));
        text += isMarked ? `${marks}${inner}${marks}` : inner;
        break;
      }
    }
  }
  return text;
}

function indent(text: string, first: string, rest: string): string {
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? first + line : line === '' ? line : rest + line))
    .join('\n');
}

function isTight(items: readonly Block[][]): boolean {
  return items.every((blocks) => blocks.filter(({ type }) => type !== 'list').length <= 1);
}

function writeList({ start, items }: Extract<Block, { type: 'list' }>, isSecond: boolean): string {
  const lines = items.map((blocks, index) => {
    const marker =
      start === undefined ? (isSecond ? '* ' : '- ') : `${start + index}${isSecond ? ')' : '.'} `;
    return indent(writeBlocks(blocks, isTight(items)), marker, ' '.repeat(marker.length));
  });
  return lines.join(isTight(items) ? '\n' : '\n\n');
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
      return `${marks}${block.language}\n${block.value}\n${marks}`;
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
    if (index > 0) text += isDense && block.type === 'list' && !follows ? '\n' : '\n\n';
    text += writeBlock(block, isSecond);
  }
  return text;
}

const NOTHING: ReadonlySet<TreeElement> = new Set();

/**
 * Writes the elements as Markdown: CommonMark with tables, and links resolved against `base`. Takes time linear in the
 * page. Lists and quotes nest at most a dozen levels.
 */
export function markdownOf(
  document: PageDocument,
  elements: readonly TreeElement[],
  base: string | undefined,
  without: ReadonlySet<TreeElement> = NOTHING,
): string {
  return writeBlocks(toBlocks(document, elements, base, without), false);
}
