import { SOURCE_LIMITS, type SourceLines } from './source-lines.ts';
import type { SourceReader } from './source-reader.ts';

/** Gives the lines of a text that comes in parts. Of a long line only the start is kept. */
function createLineSplitter(take: (line: string) => void): Pick<SourceReader, 'write' | 'end'> {
  let rest = '';
  return {
    write(text) {
      const lines = text.split(/\r\n|\r|\n/);
      const last = lines.pop() ?? '';
      for (const line of lines) {
        take(rest + line);
        rest = '';
      }
      rest = (rest + last).slice(0, SOURCE_LIMITS.value);
    },
    end(isCut) {
      if (!isCut && rest !== '') take(rest);
    },
  };
}

/** Reads the sitemaps that robots.txt names; the usual one where it names none. */
export function createRobotsReader(lines: SourceLines): SourceReader {
  const splitter = createLineSplitter((line) => {
    const address = /^\s*site-?map\s*:\s*([^#\s]+)/i.exec(line)?.[1];
    if (address !== undefined) lines.addSitemap({ address });
  });
  return {
    write: splitter.write,
    end(isCut) {
      splitter.end(isCut);
      if (lines.lines.length === 0) lines.addSitemap({ address: '/sitemap.xml' });
    },
    fault: () => undefined,
    isUnfinished: () => false,
  };
}

/** Reads a sitemap of one address a line. */
export function createListReader(lines: SourceLines): SourceReader {
  let written = 0;
  const splitter = createLineSplitter((line) => {
    const address = line.trim();
    if (address === '') return;
    written += 1;
    if (/^https?:\/\//i.test(address)) lines.addPage('s', { address });
  });
  return {
    ...splitter,
    fault: () =>
      written > 0 && lines.lines.length === 0 ? 'is neither XML nor a list of addresses' : undefined,
    isUnfinished: () => false,
  };
}
