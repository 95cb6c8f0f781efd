/** An inline node of Markdown. */
export type Phrasing =
  | { type: 'text'; value: string }
  | { type: 'break' }
  | { type: 'inlineCode'; value: string }
  | { type: 'image'; url: string; title: string; alt: string }
  | { type: 'link'; url: string; title: string; children: Phrasing[] }
  /** At the start of an item of a list. */
  | { type: 'checkBox'; isChecked: boolean }
  | { type: 'strong' | 'emphasis' | 'struck'; children: Phrasing[] };

/** A block of Markdown. */
export type Block =
  /** `isOwn`: the page marks it as a paragraph, so space is around it in lists too. */
  | { type: 'paragraph'; isOwn: boolean; children: Phrasing[] }
  | { type: 'heading'; depth: number; children: Phrasing[] }
  | { type: 'code'; language: string; value: string }
  | { type: 'rule' }
  | { type: 'blockquote'; children: Block[] }
  /** `numbers`: of the items of a numbered list. */
  | { type: 'list'; numbers: readonly number[] | undefined; items: Block[][] }
  /** The first row is the head. */
  | { type: 'table'; rows: Phrasing[][][] };

interface Boundary {
  type: 'boundary';
  isOwn: boolean;
}

/** Ends the paragraph before it. */
export const BOUNDARY: Boundary = { type: 'boundary', isOwn: false };
/** The same, and begins one that the page marks as a paragraph. */
export const PARAGRAPH: Boundary = { type: 'boundary', isOwn: true };

/** The nodes of an element: text, inline nodes, blocks, and ends of paragraphs. */
export type Item = Phrasing | Block | Boundary;

const PHRASING = new Set<string>([
  'break',
  'checkBox',
  'emphasis',
  'image',
  'inlineCode',
  'link',
  'strong',
  'struck',
  'text',
]);

function isPhrasing(item: Item): item is Phrasing {
  return PHRASING.has(item.type);
}

/** Collapses the spaces of a run of inline nodes across node borders, and removes them at its ends and beside breaks. */
function tidy(run: readonly Phrasing[]): Phrasing[] {
  const tidied: Phrasing[] = [];
  // Of the last text, which grows: to look at it each time would copy it each time.
  let endsInSpace = false;
  /** Parts of the last struck text, which grows with its neighbours. */
  let struck: Phrasing[] = [];
  for (const node of run) {
    const before = tidied.at(-1);
    if (node.type === 'text') {
      const starts: boolean =
        before === undefined || before.type === 'break' || (before.type === 'text' && endsInSpace);
      const value: string = starts ? node.value.trimStart() : node.value;
      if (value === '') continue;
      endsInSpace = value.endsWith(' ');
      if (before?.type === 'text') tidied[tidied.length - 1] = { type: 'text', value: before.value + value };
      else tidied.push({ type: 'text', value });
    } else if (node.type === 'inlineCode' && before?.type === 'inlineCode') {
      // Two would be read as one with backticks inside.
      tidied[tidied.length - 1] = { type: 'inlineCode', value: before.value + node.value };
    } else if (node.type === 'struck') {
      if (before?.type === 'struck') for (const child of node.children) struck.push(child);
      else {
        struck = [...node.children];
        tidied.push({ type: 'struck', children: struck });
      }
    } else if (node.type === 'break') {
      if (before === undefined) continue;
      trimEnd(tidied);
      if (tidied.length > 0) tidied.push(node);
    } else {
      tidied.push(node);
    }
  }
  trimEnd(tidied);
  while (tidied.at(-1)?.type === 'break') {
    tidied.pop();
    trimEnd(tidied);
  }
  return tidied;
}

function trimEnd(run: Phrasing[]): void {
  const last = run.at(-1);
  if (last?.type !== 'text') return;
  run.pop();
  const value = last.value.trimEnd();
  if (value !== '') run.push({ type: 'text', value });
}

/** The blocks, with each run of inline nodes between them as a paragraph. */
export function toFlow(items: readonly Item[]): Block[] {
  const blocks: Block[] = [];
  let run: Phrasing[] = [];
  let isOwn = false;
  const flush = (): void => {
    const children = tidy(run);
    if (children.length > 0) blocks.push({ type: 'paragraph', isOwn, children });
    run = [];
  };
  for (const item of items) {
    if (isPhrasing(item)) {
      run.push(item);
      continue;
    }
    flush();
    isOwn = item.type === 'boundary' && item.isOwn;
    if (item.type !== 'boundary') blocks.push(item);
  }
  flush();
  return blocks;
}

function insideOf(item: Exclude<Item, Phrasing>): readonly Item[] {
  if ('children' in item) return item.children;
  if (item.type === 'list') return item.items.flatMap((blocks) => [BOUNDARY, ...blocks]);
  return item.type === 'table' ? item.rows.flat().flatMap((cell) => [BOUNDARY, ...cell]) : [];
}

/** Only the inline nodes, for headings and cells, which hold no blocks. The end of a block becomes a space. */
export function toPhrasing(items: readonly Item[]): Phrasing[] {
  const run: Phrasing[] = [];
  const add = (list: readonly Item[]): void => {
    for (const item of list) {
      if (isPhrasing(item)) run.push(item.type === 'break' ? { type: 'text', value: ' ' } : item);
      else if (item.type === 'code') {
        run.push({ type: 'inlineCode', value: item.value.replaceAll(/\s+/g, ' ') });
      } else {
        run.push({ type: 'text', value: ' ' });
        add(insideOf(item));
        run.push({ type: 'text', value: ' ' });
      }
    }
  };
  add(items);
  return tidy(run);
}

/** Wraps each run of inline nodes. Spaces at its ends stay outside the wrapper, as Markdown requires. */
export function wrapRuns(
  items: readonly Item[],
  out: Item[],
  wrap: (children: Phrasing[]) => Phrasing,
): void {
  let run: Phrasing[] = [];
  const flush = (): void => {
    const [first] = run;
    const last = run.at(-1);
    const children = tidy(run);
    if (first?.type === 'text' && /^\s/.test(first.value)) out.push({ type: 'text', value: ' ' });
    if (children.length > 0) out.push(wrap(children));
    if (last?.type === 'text' && /\s$/.test(last.value)) out.push({ type: 'text', value: ' ' });
    run = [];
  };
  for (const item of items) {
    if (isPhrasing(item)) {
      run.push(item);
      continue;
    }
    flush();
    if (item.type === 'heading' || item.type === 'paragraph') {
      out.push({ ...item, children: [wrap(item.children)] });
    } else out.push(item);
  }
  flush();
}
