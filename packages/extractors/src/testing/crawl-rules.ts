import { crawlField } from '@gleaner/contracts';
import type { z } from 'zod';
import { compileCrawl, type CrawlRules } from '../crawl/compile-crawl.ts';

/** Rules of a crawl that tests write in few words. */
export function rulesOf(
  start: string | string[],
  crawl: z.input<typeof crawlField> = {},
  routes: { match: string | string[]; follow?: boolean }[] = [],
): CrawlRules {
  return compileCrawl({
    start: [start].flat(),
    crawl: crawlField.parse(crawl),
    routes: routes.map(({ match, follow = true }) => ({ match, follow })),
  });
}
