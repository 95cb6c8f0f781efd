import { compileParser, extract } from '@gleaner/extractors';
import type { ParserSchema } from '@gleaner/contracts';
import { extractByHand } from './extract/by-hand.ts';
import { measureGrowth } from './extract/growth.ts';
import { cpuMs } from './load/cpu-ms.ts';
import { median } from './load/statistics.ts';
import { readPages, type RealPage } from './pages.ts';

/** Twelve fields that every kind of page has some of. */
const SCHEMA: ParserSchema = {
  fields: {
    title: 'title',
    heading: 'h1',
    lang: 'html@lang',
    description: 'meta[name="description"]@content',
    image: 'meta[property="og:image"]@content',
    canonical: 'link[rel="canonical"]@href',
    published: 'time@datetime',
    links: { css: 'a[href]', attr: 'href', take: 'all' },
    images: { css: 'img[src]', attr: 'src', take: 'all' },
    headings: { css: 'h2', take: 'all' },
    paragraphs: { css: 'p', take: 'all' },
    entries: { css: 'ul > li > a', take: 'all' },
  },
};

type Contender = (page: RealPage) => unknown;

/** Extraction of the real pages by ours and by the least that parse5 allows. */
export async function run(args: string[]): Promise<void> {
  const rounds = Number(args[0] ?? 7);
  const pages = readPages();
  const bytes = pages.reduce((sum, { body }) => sum + body.byteLength, 0);
  const parser = compileParser(SCHEMA);
  const contenders: Record<string, Contender> = {
    'parse5 by hand': ({ body }) => extractByHand(new TextDecoder().decode(body)),
    ours: ({ body }) =>
      extract(parser, { body, contentType: 'text/html; charset=utf-8', url: 'https://example.com/' }),
  };
  const names = Object.keys(contenders);
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const contender = contenders[name];
      const ms = cpuMs(() => {
        for (const page of pages) contender?.(page);
      });
      // The first round warms up.
      if (round > 0) times.get(name)?.push(ms);
    }
  }

  const limit = times.get('parse5 by hand') ?? [];
  const ours = times.get('ours') ?? [];
  console.log(
    `${pages.length} pages, ${(bytes / 1e6).toFixed(1)} MB, 12 fields, CPU, median of ${rounds} rounds\n`,
  );
  for (const name of names) {
    const ms = median(times.get(name) ?? []);
    const relative = median((times.get(name) ?? []).map((time, round) => time / (limit[round] ?? NaN)));
    console.log(
      `${name.padEnd(22)} ${ms.toFixed(0).padStart(6)} ms  ${(ms / pages.length).toFixed(2).padStart(6)} ms/page  ` +
        `${(bytes / 1e3 / ms).toFixed(1).padStart(6)} MB/s  ${relative.toFixed(2)} × by hand`,
    );
  }
  const overLimit = median(ours.map((time, round) => time / (limit[round] ?? NaN)));
  const growth = measureGrowth();
  const met = overLimit <= 1.25 && growth.perRow <= 1.5 && growth.perField <= 1.5;
  console.log(
    JSON.stringify({
      bench: 'extract',
      oursOverByHand: Number(overLimit.toFixed(3)),
      growthPerRow: Number(growth.perRow.toFixed(2)),
      growthPerField: Number(growth.perField.toFixed(2)),
      met,
    }),
  );
  if (!met) process.exitCode = 1;
}
