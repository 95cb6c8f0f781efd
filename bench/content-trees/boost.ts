/** Rows of features, with what each row should get and how much it counts. */
export interface Rows {
  features: readonly (readonly number[])[];
  wanted: readonly number[];
  weights: readonly number[];
}

export interface BoostOptions {
  trees: number;
  depth: number;
  /** The share of what a tree finds that it adds. */
  rate: number;
  /** The least certainty on each side of a split, and what is added to each. */
  leastWeight: number;
  /** The shares of rows and features that each tree sees. */
  rowShare: number;
  featureShare: number;
}

const BINS = 64;

interface Binned {
  /** Limits between the bins of each feature. */
  limits: number[][];
  bins: Uint8Array;
  count: number;
}

function limitsOf(values: number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  const distinct = [...new Set(sorted)];
  if (distinct.length <= BINS)
    return distinct.slice(1).map((value, index) => (value + (distinct[index] ?? value)) / 2);
  const quantiles = Array.from(
    { length: BINS - 1 },
    (_, bin) => sorted[((bin + 1) * sorted.length) >> 6] ?? 0,
  );
  return [...new Set(quantiles)];
}

function binOf(limits: readonly number[], value: number): number {
  let [low, high] = [0, limits.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value > (limits[middle] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Sorts the values into bins, so that the best split of a feature is found in one pass. */
export function binRows(features: readonly (readonly number[])[]): Binned {
  const count = features[0]?.length ?? 0;
  const limits = Array.from({ length: count }, (_, feature) =>
    limitsOf(features.map((row) => row[feature] ?? 0)),
  );
  const bins = new Uint8Array(features.length * count);
  for (const [index, row] of features.entries()) {
    for (const [feature, value] of row.entries())
      bins[index * count + feature] = binOf(limits[feature] ?? [], value);
  }
  return { limits, bins, count };
}

interface Node {
  feature: number;
  bin: number;
  value: number;
  left?: Node;
  right?: Node;
}

/** Numbers that look random and are the same in each run. */
function createNumbers(): () => number {
  let state = 3;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Slopes {
  first: Float64Array;
  second: Float64Array;
}

function growNode(
  { limits, bins, count }: Binned,
  rows: Int32Array,
  { first, second }: Slopes,
  usable: readonly number[],
  options: BoostOptions,
  depth: number,
): Node {
  const { leastWeight, rate } = options;
  let [slope, weight] = [0, 0];
  for (const row of rows) {
    slope += first[row] ?? 0;
    weight += second[row] ?? 0;
  }
  const node: Node = { feature: -1, bin: 0, value: (rate * slope) / (weight + leastWeight) };
  if (depth === 0 || weight < 2 * leastWeight) return node;
  const slopes = new Float64Array(count * BINS);
  const weights = new Float64Array(count * BINS);
  for (const row of rows) {
    const [g, h, at] = [first[row] ?? 0, second[row] ?? 0, row * count];
    for (const feature of usable) {
      const bin = feature * BINS + (bins[at + feature] ?? 0);
      slopes[bin] = (slopes[bin] ?? 0) + g;
      weights[bin] = (weights[bin] ?? 0) + h;
    }
  }
  const worth = (g: number, h: number): number => (g * g) / (h + leastWeight);
  let most = worth(slope, weight) + 1e-3;
  for (const feature of usable) {
    let [g, h] = [0, 0];
    for (let bin = 0; bin < (limits[feature]?.length ?? 0); bin += 1) {
      g += slopes[feature * BINS + bin] ?? 0;
      h += weights[feature * BINS + bin] ?? 0;
      if (h < leastWeight || weight - h < leastWeight) continue;
      const sum = worth(g, h) + worth(slope - g, weight - h);
      if (sum > most) [most, node.feature, node.bin] = [sum, feature, bin];
    }
  }
  if (node.feature < 0) return node;
  const isLeft = (row: number): boolean => (bins[row * count + node.feature] ?? 0) <= node.bin;
  const grow = (part: Int32Array): Node =>
    growNode({ limits, bins, count }, part, { first, second }, usable, options, depth - 1);
  node.left = grow(rows.filter(isLeft));
  node.right = grow(rows.filter((row) => !isLeft(row)));
  return node;
}

function leafOf(node: Node, { bins, count }: Binned, row: number): number {
  let at = node;
  while (at.left !== undefined && at.right !== undefined)
    at = (bins[row * count + at.feature] ?? 0) <= at.bin ? at.left : at.right;
  return at.value;
}

function write(node: Node, limits: number[][]): string {
  if (node.left === undefined || node.right === undefined) return String(Math.round(node.value * 1000));
  const limit = Number((limits[node.feature]?.[node.bin] ?? 0).toPrecision(4));
  return `${node.feature}<${limit} ${write(node.left, limits)} ${write(node.right, limits)}`;
}

/** Gradient boosting with a logistic loss over the rows that `isTaken` names. Gives the trees, one a line. */
export function boost(
  { wanted, weights }: Rows,
  binned: Binned,
  isTaken: (row: number) => boolean,
  options: BoostOptions,
): string {
  const random = createNumbers();
  const rows = Int32Array.from(wanted.keys()).filter(isTaken);
  const start = -1;
  const scores = new Float64Array(wanted.length).fill(start);
  const slopes: Slopes = { first: new Float64Array(wanted.length), second: new Float64Array(wanted.length) };
  const lines = [String(start * 1000)];
  for (let tree = 0; tree < options.trees; tree += 1) {
    for (const row of rows) {
      const probability = 1 / (1 + Math.exp(-(scores[row] ?? 0)));
      slopes.first[row] = (weights[row] ?? 0) * ((wanted[row] ?? 0) - probability);
      slopes.second[row] = (weights[row] ?? 0) * probability * (1 - probability);
    }
    const usable = Array.from({ length: binned.count }, (_, feature) => feature).filter(
      () => random() < options.featureShare,
    );
    const part = rows.filter(() => random() < options.rowShare);
    const root = growNode(binned, part, slopes, usable, options, options.depth);
    for (const row of rows) scores[row] = (scores[row] ?? 0) + leafOf(root, binned, row);
    lines.push(write(root, binned.limits));
  }
  return lines.join('\n');
}
