import { URL_OUTCOMES } from '@gleaner/contracts/values';
import { ActionIcon, Button } from '@mantine/core';
import { formatNumber, shortUrl } from '../format/format.ts';
import { IconChevronDown, IconChevronRight } from '../parts/icons.ts';
import { PlainTable, type PlainColumn } from '../parts/plain-table.tsx';
import { useChosen, type Chosen } from '../parts/use-chosen.ts';
import styles from './crawls.module.css';
import { OUTCOME_WORDS } from './search.ts';
import type { UrlNode } from './url-tree.ts';

/** A kind of pages at its place in the tree. */
export interface KindLine {
  node: UrlNode;
  depth: number;
  isOpen: boolean;
}

/** Up to this number, all lines are shown; the folders of a larger site open by a click. */
const SMALL = 40;

function countLines(nodes: readonly UrlNode[]): number {
  return nodes.reduce((total, { children }) => total + 1 + countLines(children), 0);
}

/** The lines that are shown: folders are open or closed until somebody toggles them. */
function linesOf(nodes: readonly UrlNode[], toggled: ReadonlySet<string>): KindLine[] {
  const isSmall = countLines(nodes) <= SMALL;
  const below = (inside: readonly UrlNode[], depth: number): KindLine[] =>
    inside.flatMap((node) => {
      const isOpen = toggled.has(node.pattern) ? !isSmall : isSmall;
      const line = { node, depth, isOpen };
      return isOpen ? [line, ...below(node.children, depth + 1)] : [line];
    });
  return below(nodes, 0);
}

function PatternCell({ node, depth, isOpen, onToggle }: KindLine & { onToggle: () => void }) {
  return (
    <span className={styles.pattern} style={{ paddingLeft: depth * 16 }}>
      {node.children.length > 0 ? (
        <ActionIcon
          size="xs"
          aria-label={`Kinds of pages in ${node.pattern}`}
          aria-expanded={isOpen}
          onClick={onToggle}
        >
          {isOpen ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
        </ActionIcon>
      ) : (
        <i className={styles.leaf} />
      )}
      <code title={node.pattern}>{node.pattern}</code>
    </span>
  );
}

function columnsOf(
  { nodes, reading, onCollect }: KindTableProps,
  toggled: Chosen<string>,
): PlainColumn<KindLine>[] {
  const met = URL_OUTCOMES.filter((outcome) => nodes.some(({ outcomes }) => outcomes[outcome] !== undefined));
  return [
    {
      header: 'Pattern',
      cell: (line) => <PatternCell {...line} onToggle={() => toggled.toggle(line.node.pattern)} />,
    },
    ...(reading ? [reading] : []),
    { header: 'Addresses', align: 'right', cell: ({ node }) => formatNumber(node.count) },
    ...met.map((outcome): PlainColumn<KindLine> => ({
      header: OUTCOME_WORDS[outcome],
      align: 'right',
      className: outcome === 'failed' ? 'bad-text' : 'soft',
      cell: ({ node: { outcomes } }) => outcomes[outcome] && formatNumber(outcomes[outcome]),
    })),
    {
      header: 'Example',
      cell: ({ node: { children, examples } }) =>
        children.length === 0 && (
          <a href={examples[0]} title={examples[0]} target="_blank" rel="noreferrer">
            {shortUrl(examples[0] ?? '')}
          </a>
        ),
    },
    {
      header: 'Collection',
      isHeaderHidden: true,
      cell: ({ node }) =>
        node.isRoute && (
          <Button
            variant="subtle"
            size="compact-xs"
            aria-label={`Make a collection of ${node.pattern}`}
            onClick={() => onCollect(node)}
          >
            Make a collection
          </Button>
        ),
    },
  ];
}

interface KindTableProps {
  nodes: readonly UrlNode[];
  /** Asks for a collection of a kind of pages. */
  onCollect: (node: UrlNode) => void;
  /** A further column, after the pattern. */
  reading?: PlainColumn<KindLine>;
}

/** The kinds of pages of a crawl as a tree, with what became of their addresses. */
export function KindTable(props: KindTableProps) {
  const toggled = useChosen<string>();
  if (props.nodes.length === 0) return null;
  return (
    <PlainTable
      label="Kinds of pages"
      columns={columnsOf(props, toggled)}
      rows={linesOf(props.nodes, toggled.all)}
      rowKey={({ node, depth }) => `${depth} ${node.pattern}`}
    />
  );
}
