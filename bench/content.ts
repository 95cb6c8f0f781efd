import { compileParser, extract } from '@gleaner/extractors';
import { readWithReadability } from './content/readability.ts';
import { readPages } from './pages.ts';

const PARSER = compileParser({ fields: { content: { page: 'markdown' } } });

function words(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu))
    counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function sizeOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** Addresses in Markdown are not part of its text. */
function plain(markdown: string): string {
  return markdown.replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '').replaceAll(/\]\([^)]*\)/g, ']');
}

/** Share of the words that both have, of all that either has. */
function agreement(ours: string, theirs: string): { recall: number; precision: number } {
  const [a, b] = [words(ours), words(theirs)];
  let both = 0;
  for (const [word, count] of a) both += Math.min(count, b.get(word) ?? 0);
  return { recall: both / Math.max(1, sizeOf(b)), precision: both / Math.max(1, sizeOf(a)) };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}

/** The main content of the real pages by ours against Mozilla's Readability: the words both give, and the time. */
export async function run(args: string[]): Promise<void> {
  const rows: { name: string; recall: number; precision: number }[] = [];
  let oursMs = 0;
  let theirsMs = 0;
  for (const { name, body } of readPages()) {
    const html = new TextDecoder().decode(body);
    let started = performance.now();
    const theirs = readWithReadability(html);
    theirsMs += performance.now() - started;
    started = performance.now();
    const result = extract(PARSER, { body: html, url: 'https://example.com/' });
    oursMs += performance.now() - started;
    const content = result.ok ? result.data['content'] : undefined;
    if (theirs === undefined) continue;
    rows.push({ name, ...agreement(plain(typeof content === 'string' ? content : ''), theirs) });
  }
  const scores = rows.map(
    ({ recall, precision }) => (2 * recall * precision) / Math.max(1e-9, recall + precision),
  );
  for (const [index, { name, recall, precision }] of rows.entries()) {
    if ((scores[index] ?? 0) < 0.7 || args.includes('--all')) {
      console.log(`${name.padEnd(46)} recall ${recall.toFixed(2)} precision ${precision.toFixed(2)}`);
    }
  }
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  console.log(
    `${rows.length} pages: F1 of words ${mean.toFixed(3)} (median ${median(scores).toFixed(3)}); ours ${oursMs.toFixed(0)} ms, Readability on happy-dom ${theirsMs.toFixed(0)} ms`,
  );
  console.log(
    JSON.stringify({
      bench: 'content',
      pages: rows.length,
      meanF1: mean,
      medianF1: median(scores),
      oursMs,
      readabilityMs: theirsMs,
      met: mean >= 0.85,
    }),
  );
}
