/** A leaf adds a value; another node sends blocks with a feature of at most the limit to the left. */
type Node = { adds: number } | { feature: number; limit: number; left: Node; right: Node };

function readNode(words: Iterator<string, undefined>): Node {
  const [first, limit] = (words.next().value ?? '0').split('<');
  if (limit === undefined) return { adds: Number(first) / 1000 };
  return { feature: Number(first), limit: Number(limit), left: readNode(words), right: readNode(words) };
}

function depthOf(node: Node): number {
  return 'adds' in node ? 0 : 1 + Math.max(depthOf(node.left), depthOf(node.right));
}

/** How likely a block with these features is content. */
export type Judge = (features: Float64Array) => number;

/**
 * Judges by trees that are written one a line, a node before its children: `12<3.5` compares the feature 12, a number is
 * a leaf, in thousandths.
 *
 * Every tree is filled up to one depth, the children of node n being 2n + 1 and 2n + 2. So the way through a tree needs no
 * branch of the processor, which it could not predict.
 */
export function createJudge(text: string): Judge {
  const trees = text
    .trim()
    .split('\n')
    .map((line) => readNode(line.trim().split(' ').values()));
  const depth = Math.max(...trees.map(depthOf));
  const leaves = 1 << depth;
  const nodes = leaves - 1;
  const features = new Uint8Array(trees.length * nodes);
  const limits = new Float64Array(trees.length * nodes).fill(Infinity);
  const added = new Float64Array(trees.length * leaves);
  const fill = (tree: number, node: Node, at: number): void => {
    const isLeaf = 'adds' in node;
    if (at >= nodes) {
      added[tree * leaves + at - nodes] = isLeaf ? node.adds : 0;
      return;
    }
    if (!isLeaf) {
      features[tree * nodes + at] = node.feature;
      limits[tree * nodes + at] = node.limit;
    }
    fill(tree, isLeaf ? node : node.left, 2 * at + 1);
    fill(tree, isLeaf ? node : node.right, 2 * at + 2);
  };
  for (const [index, tree] of trees.entries()) fill(index, tree, 0);
  return (of) => {
    let sum = 0;
    for (let tree = 0; tree < trees.length; tree += 1) {
      let at = 0;
      for (let level = 0; level < depth; level += 1) {
        const node = tree * nodes + at;
        at = 2 * at + 1 + Number((of[features[node] ?? 0] ?? 0) > (limits[node] ?? 0));
      }
      sum += added[tree * leaves + at - nodes] ?? 0;
    }
    return 1 / (1 + Math.exp(-sum));
  };
}
