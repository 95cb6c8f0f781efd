/** What a crawl knows without a network: which addresses are its pages, and which a page or a sitemap names. */
export {
  checkCrawl,
  compileCrawl,
  compileRules,
  type AnyRulesSpec,
  type CrawlRules,
  type CrawlRulesSpec,
} from './compile-crawl.ts';
export { readLinkLine } from './link-line.ts';
export { readLinks, type FetchedAddress, type PageLinks } from './read-links.ts';
export { foldersOf } from './scope.ts';
export { readSource, type SourceKind, type SourceLinks } from './read-source.ts';
