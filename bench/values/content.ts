import { compileParser, extract } from '@gleaner/extractors';
import { hasContent, readTruePages, type TruePage } from './truths.ts';

const PARSER = compileParser({ fields: { markdown: { page: 'markdown' } } });

const WORD = /[\p{L}\p{N}_]+/gu;

export interface Score {
  id: string;
  type: string;
  half: TruePage['half'];
  f1: number;
  precision: number;
  recall: number;
  withFound: number;
  withoutAbsent: number;
}

type Mean = Omit<Score, 'id' | 'type' | 'half'>;

function words(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(WORD)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function sizeOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** The text of Markdown without addresses, escapes and the marks of tables. */
function plainOf(markdown: string): string {
  return markdown
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, ' ')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/\\(?=[!-/:-@[-`{-~])/g, '');
}

function shareOf(sentences: readonly string[], holds: (sentence: string) => boolean): number {
  return sentences.length === 0 ? 1 : sentences.filter(holds).length / sentences.length;
}

function wordsOnly(text: string): string {
  return text.toLowerCase().match(WORD)?.join(' ') ?? '';
}

/** How the Markdown of a page agrees with what people say is its content. */
export function scoreOf(markdown: string, truth: TruePage): Score {
  const ours = plainOf(markdown);
  const [a, b] = [words(ours), words(truth.main_content)];
  let both = 0;
  for (const [word, count] of a) both += Math.min(count, b.get(word) ?? 0);
  const precision = both / Math.max(1, sizeOf(a));
  const recall = both / Math.max(1, sizeOf(b));
  const text = wordsOnly(ours);
  const { id, type, half } = truth;
  return {
    id,
    type,
    half,
    f1: (2 * precision * recall) / Math.max(1e-9, precision + recall),
    precision,
    recall,
    withFound: shareOf(truth.with, (sentence) => text.includes(wordsOnly(sentence))),
    withoutAbsent: shareOf(truth.without, (sentence) => !text.includes(wordsOnly(sentence))),
  };
}

function meanOf(scores: readonly Score[]): Mean {
  const mean = (pick: (score: Score) => number): number =>
    scores.reduce((sum, score) => sum + pick(score), 0) / Math.max(1, scores.length);
  return {
    f1: mean(({ f1 }) => f1),
    precision: mean(({ precision }) => precision),
    recall: mean(({ recall }) => recall),
    withFound: mean(({ withFound }) => withFound),
    withoutAbsent: mean(({ withoutAbsent }) => withoutAbsent),
  };
}

function lineOf(name: string, mean: Mean): string {
  const figures = Object.values(mean).map((figure) => figure.toFixed(3).padStart(10));
  return `${name.padEnd(24)}${figures.join('')}`;
}

/** Prints the means of each type, of each half and of all, with `--worst` the worst pages, and the figures as JSON. */
export function printScores(section: string, scores: readonly Score[], args: readonly string[]): void {
  console.log(`${section.padEnd(24)}        f1 precision    recall      with   without`);
  for (const type of new Set(scores.map((score) => score.type)))
    console.log(lineOf(type, meanOf(scores.filter((score) => score.type === type))));
  for (const half of ['tune', 'check'])
    console.log(lineOf(half, meanOf(scores.filter((score) => score.half === half))));
  const all = meanOf(scores);
  console.log(lineOf('all', all));
  if (args.includes('--worst')) {
    for (const { id, type, half, ...mean } of scores.toSorted((a, b) => a.f1 - b.f1).slice(0, 60))
      console.log(lineOf(`${id} ${type} ${half}`, mean));
  }
  console.log(
    JSON.stringify({ bench: 'values', section, pages: scores.length, ...all, met: all.f1 >= 0.88 }),
  );
}

function readMarkdown({ body, url }: TruePage): string {
  const result = extract(PARSER, { body, url });
  const markdown = result.ok ? result.data['markdown'] : undefined;
  return typeof markdown === 'string' ? markdown : '';
}

/** Prints the CPU that a page costs with parsing, in the round that was disturbed least. The pages were read before. */
function measureCost(pages: readonly TruePage[]): void {
  const rounds = Array.from({ length: 3 }, (): number => {
    const before = process.cpuUsage();
    for (const page of pages) readMarkdown(page);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000 / pages.length;
  });
  const kb = pages.reduce((sum, { body }) => sum + body.length, 0) / pages.length / 1_000;
  const ms = Math.min(...rounds);
  console.log(
    `${ms.toFixed(1)} ms of CPU a page of ${kb.toFixed(0)} KB, ${((ms * 170) / kb).toFixed(1)} ms for 170 KB`,
  );
}

/** `page: "markdown"` of 315 real pages of seven types against what people say is their main content. */
export function measureContent(args: readonly string[]): void {
  const pages = readTruePages().filter(hasContent);
  printScores(
    'content',
    pages.map((page) => scoreOf(readMarkdown(page), page)),
    args,
  );
  measureCost(pages);
}
