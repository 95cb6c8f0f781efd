import { decodeHtml, parseHtml, type PageDocument } from '@gleaner/html';
import { LRUCache } from 'lru-cache';
import type { AnyRulesSpec, CrawlRules, FetchedAddress, PageLinks, SourceKind } from '../crawl/index.ts';
import type { Page } from '../page.ts';
import { learn } from './learned.ts';
import { CACHED_CRAWLS, jsonOf, type JobResult } from './protocol.ts';

/** The rules of a crawl, by a key that always means the same ones. */
export interface RulesWork {
  rulesKey: string;
  /** Left out when the thread already has them. */
  rules: AnyRulesSpec | undefined;
}

/** What a crawl reads of a page. */
export interface LinksWork extends RulesWork {
  address: FetchedAddress;
}

/** A page of a crawl that no parser reads. */
export interface PageLinksWork extends LinksWork {
  page: Page;
  /** Give the page's bytes back when it was moved here. */
  returnsBody: boolean;
}

/** A robots.txt, a sitemap or a feed of a crawl. */
export interface SourceWork extends RulesWork {
  kind: SourceKind;
  body: Uint8Array;
  /** After redirects. */
  url: string;
}

/** Loads what reads the links of a parsed page. */
export type LinkReader = (work: LinksWork) => Promise<(document: PageDocument) => PageLinks>;

/** The jobs of crawls, which share the compiled rules that were used last. Their code is loaded late. */
export function createCrawlHandlers() {
  const known = new LRUCache<string, CrawlRules>({ max: CACHED_CRAWLS });

  const rulesOf = async ({ rulesKey, rules: spec }: RulesWork): Promise<CrawlRules> => {
    let rules = known.get(rulesKey);
    if (rules === undefined) {
      if (spec === undefined) throw new Error(`the thread has no rules ${rulesKey}`);
      const { compileRules } = await import('../crawl/index.ts');
      rules = compileRules(spec);
      known.set(rulesKey, rules);
    }
    return rules;
  };

  const linkReader: LinkReader = async (work) => {
    const rules = await rulesOf(work);
    const { readLinks } = await import('../crawl/index.ts');
    return (document) => readLinks(document, work.address, rules);
  };

  const links = async (work: PageLinksWork): Promise<JobResult> => {
    const { page, returnsBody } = work;
    const read = await linkReader(work);
    const found = await learn(async () => read(parseHtml(decodeHtml(page.body, page.contentType).text)));
    const body = returnsBody && typeof page.body !== 'string' ? { body: page.body } : {};
    return { json: jsonOf(found), ...body };
  };

  const source = async (work: SourceWork): Promise<JobResult> => {
    const rules = await rulesOf(work);
    const { readSource } = await import('../crawl/index.ts');
    return { json: jsonOf(await readSource(work.kind, work.body, work.url, rules)) };
  };

  return { linkReader, links, source };
}
