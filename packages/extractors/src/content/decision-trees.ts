/** Binary trees in one row of nodes. The left child of a node follows it. */
interface DecisionTrees {
  /** Where each tree starts. */
  readonly roots: readonly number[];
  /** The feature that a node compares, −1 in a leaf. */
  readonly features: readonly number[];
  /** The greatest value that goes left; in a leaf what it adds. */
  readonly values: readonly number[];
  readonly rights: readonly number[];
}

function readTrees(text: string): DecisionTrees {
  const trees = {
    roots: [] as number[],
    features: [] as number[],
    values: [] as number[],
    rights: [] as number[],
  };
  for (const line of text.trim().split('\n')) {
    trees.roots.push(trees.features.length);
    const nodes = line.trim().split(' ').values();
    const read = (): void => {
      const [feature, limit] = (nodes.next().value ?? '0').split('<');
      const at = trees.features.length;
      trees.features.push(limit === undefined ? -1 : Number(feature));
      trees.values.push(limit === undefined ? Number(feature) / 1000 : Number(limit));
      trees.rights.push(-1);
      if (limit === undefined) return;
      read();
      trees.rights[at] = trees.features.length;
      read();
    };
    read();
  }
  return trees;
}

/** How likely a block with these features is content. */
export type Judge = (features: readonly number[]) => number;

/**
 * Judges by trees that are written one a line, a node before its children: `12<3.5` compares the feature 12, a number is
 * a leaf, in thousandths.
 */
export function createJudge(text: string): Judge {
  const { roots, features, values, rights } = readTrees(text);
  return (of) => {
    let sum = 0;
    for (let at of roots) {
      for (let feature = features[at] ?? -1; feature >= 0; feature = features[at] ?? -1)
        at = (of[feature] ?? 0) <= (values[at] ?? 0) ? at + 1 : (rights[at] ?? 0);
      sum += values[at] ?? 0;
    }
    return 1 / (1 + Math.exp(-sum));
  };
}
