/** What an option says of a field whose own name would be long or unclear. */
export interface Shorthand {
  flags: string;
  about: string;
  /** The option stands for this value and takes none. */
  stands?: unknown;
  /** The option names a member of an object and its value, with this between them. */
  pairs?: string;
  /** Ids of the operations that have it. */
  only?: RegExp;
}

/** Shorthands by the path of their field. */
export const SHORTHANDS: Readonly<Record<string, Shorthand>> = {
  'target.parserId': { flags: '-p, --parser <parser>', about: 'what to run: a parser, by id, slug or name' },
  'target.version': { flags: '--parser-version <n>', about: 'this version of the parser' },
  'target.id': { flags: '--api <id>', about: 'or a prebuilt API (`gleaner apis list`)' },
  'target.workflowId': { flags: '--workflow <workflow>', about: 'or a workflow, by id, slug or name' },
  'sink.database': {
    flags: '--database <database>',
    about: 'write rows to this database, by id, slug or name',
  },
  'sink.table': { flags: '--table <table>', about: 'into this table' },
  'sink.key': { flags: '--key <columns...>', about: 'columns that distinguish rows' },
  'sink.rows': { flags: '--rows <path>', about: 'list in the data whose elements become rows' },
  'scrape_config.useBrowser': { flags: '--browser', about: 'load pages in a browser' },
  'scrape_config.waitSeconds': { flags: '--wait <seconds>', about: 'wait after a page has loaded' },
  'scrape_config.waitForBrowser': {
    flags: '--wait-for <css>',
    about: 'wait in the browser until this selector matches',
  },
  'scrape_config.timeoutSeconds': { flags: '--timeout <seconds>', about: 'limit on one attempt' },
  'scrape_config.headers': {
    flags: '--header <name:value>',
    about: 'header to send; can be repeated',
    pairs: ':',
  },
  'scrape_config.cookies': {
    flags: '--cookie <name=value>',
    about: 'cookie to send; can be repeated',
    pairs: '=',
  },
  'scrape_config.respectRobots': { flags: '--robots', about: 'obey robots.txt' },
  'source.sitemap': {
    flags: '--sitemap <address>',
    about: 'the inputs are the addresses of this sitemap, an index of them or a file of addresses',
  },
  'source.feed': {
    flags: '--feed <address>',
    about: 'the inputs are the addresses of this RSS, Atom or JSON feed',
  },
  'crawl.sources.links': {
    flags: '--links',
    about: 'follow links; --no-links reads sitemaps and feeds alone',
  },
  'crawl.sources.sitemaps': { flags: '--sitemaps', about: 'read sitemaps; --no-sitemaps does not' },
  'crawl.sources.feeds': {
    flags: '--feed <address>',
    about: 'also read this RSS, Atom or JSON feed; can be repeated',
  },
  'limits.credits': { flags: '--max-credits <n>', about: 'maximum credits that it may charge' },
  name: { flags: '--name <name>', about: 'its name' },
  webhook_url: { flags: '--webhook-url <address>', about: 'report the end to this address' },
  since: {
    flags: '--since <time>',
    about:
      'leave out what the sitemap or feed dates before, such as 2026-03-01; in crons last_run: what an earlier run took',
  },
  url: { flags: '--page <address>', about: 'the page', only: /Cron$/ },
  enabled: { flags: '--paused', about: 'without firing', stands: false, only: /Cron$/ },
};

/** Headings of a help by the object that its options belong to. */
export const HEADINGS: Readonly<Record<string, string>> = {
  target: 'What runs:',
  source: 'Inputs from the web:',
  crawl: 'Which pages:',
  limits: 'Limits:',
  scrape_config: 'Fetching:',
  sink: 'Writing rows to a database:',
};
