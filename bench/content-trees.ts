import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentBlocksOf, createContentReader } from '@gleaner/extractors';
import { readWithReadability } from './content/readability.ts';
import { binRows, boost, type BoostOptions, type Rows } from './content-trees/boost.ts';
import { labelsOf } from './content-trees/label.ts';
import { readPages } from './pages.ts';
import { printScores, scoreOf } from './values/content.ts';
import { hasContent, readTruePages } from './values/truths.ts';

const FILE = join(import.meta.dirname, '../packages/extractors/src/content/generated/content-trees.ts');
const OPTIONS: BoostOptions = {
  trees: 150,
  depth: 5,
  rate: 0.1,
  leastWeight: 15,
  rowShare: 0.5,
  featureShare: 0.3,
};

function writeTrees(trees: string): void {
  writeFileSync(
    FILE,
    `/** Written by \`npm run -s bench -- content-trees\`; read by \`createJudge\`. */\nexport const CONTENT_TREES = \`\n${trees}\n\`;\n`,
  );
}

interface Marked {
  body: Uint8Array;
  content: string;
  half: 'tune' | 'check';
  weight: number;
}

/** Articles of which we only know what another program finds count less. */
const GUESSED = 0.5;

function readMarked(): Marked[] {
  const known = readTruePages()
    .filter(hasContent)
    .map(({ body, half, main_content: content }): Marked => ({ body, half, content, weight: 1 }));
  const guessed = readPages().flatMap(({ body }, index): Marked[] => {
    const content = readWithReadability(new TextDecoder().decode(body));
    return content === undefined
      ? []
      : [{ body, content, half: index % 2 === 0 ? 'tune' : 'check', weight: GUESSED }];
  });
  return [...known, ...guessed];
}

/** All pages count alike, whatever their length. */
function rowsOf<Page extends Marked>(pages: readonly Page[]): Rows & { pages: Page[] } {
  const features: (readonly number[])[] = [];
  const wanted: number[] = [];
  const weights: number[] = [];
  const of: Page[] = [];
  for (const page of pages) {
    const blocks = contentBlocksOf(page.body);
    const labels = labelsOf(
      blocks.map(({ text }) => text),
      page.content,
    );
    const sum = labels.reduce((total, { words, label }) => total + words * (0.25 + label), 0);
    for (const [index, { label, words }] of labels.entries()) {
      features.push(blocks[index]?.features ?? []);
      wanted.push(label);
      weights.push(1000 * page.weight * (words / (sum + 30)) ** 0.8);
      of.push(page);
    }
  }
  return { features, wanted, weights, pages: of };
}

const FOLDS = 5;

/** The fold of each page: pages of one site are in one. */
function foldsOf(urls: readonly string[]): number[] {
  const folds = new Map<string, number>();
  return urls.map((url, index) => {
    const site = URL.parse(url)?.hostname.split('.').slice(-2).join('.') ?? `page ${index}`;
    const fold = folds.get(site) ?? folds.size % FOLDS;
    folds.set(site, fold);
    return fold;
  });
}

/**
 * Measures each fold by trees that are trained on the others. The guessed pages have no address, and could be of a site
 * of the fold: they are left out.
 */
function measureFolds(args: readonly string[]): void {
  const pages = readTruePages().filter(hasContent);
  const folds = foldsOf(pages.map(({ url }) => url));
  const rows = rowsOf(
    pages.map((page, index) => ({ ...page, content: page.main_content, weight: 1, fold: folds[index] })),
  );
  const binned = binRows(rows.features);
  const scores = Array.from({ length: FOLDS }, (_, fold) => {
    const read = createContentReader(boost(rows, binned, (row) => rows.pages[row]?.fold !== fold, OPTIONS));
    return pages
      .filter((_page, index) => folds[index] === fold)
      .map((page) => scoreOf(read(page.body), page));
  });
  printScores('content by folds', scores.flat(), args);
}

/**
 * Trains the trees that find main content on the pages with known truth; `tune` or `check` on that half alone. `folds`
 * writes none and measures them on sites that they have not seen.
 */
export function run(args: string[]): Promise<void> {
  const [half] = args;
  if (half === 'folds') {
    measureFolds(args);
    return Promise.resolve();
  }
  const rows = rowsOf(readMarked());
  const binned = binRows(rows.features);
  const isTaken = (row: number): boolean =>
    half === 'tune' || half === 'check' ? rows.pages[row]?.half === half : true;
  writeTrees(boost(rows, binned, isTaken, OPTIONS));
  console.log(`${rows.features.length} blocks of ${rows.features[0]?.length ?? 0} features: ${FILE}`);
  return Promise.resolve();
}
