/** What an option says of a field whose own name would be long or unclear: its flags, its line in the help, and rules. */
export type Shorthand = readonly [flags: string, about: string, rules?: ShorthandRules];

export interface ShorthandRules {
  /** The option stands for this value and takes none. */
  stands?: unknown;
  /** The option names a member of an object and its value, with this between them. */
  pairs?: string;
  /** Reads the texts of an option that can be repeated. */
  read?: (texts: readonly string[]) => unknown;
  /** Ids of the operations that have it. */
  only?: RegExp;
}

/** `all`, or names with commas between them, each with a column before it when that has another name. */
function readCarry(texts: readonly string[]): unknown {
  if (texts.length === 1 && texts[0] === 'all') return true;
  const names = texts.flatMap((text) => text.split(',')).map((name) => name.trim());
  if (!names.some((name) => name.includes('='))) return names;
  return Object.fromEntries(
    names.map((name) => {
      const [column = '', ...rest] = name.split('=');
      return [column.trim(), rest.length === 0 ? column.trim() : rest.join('=').trim()];
    }),
  );
}

const LAST_RUN = 'in crons also last_run: what no earlier run took';

const SHORTHANDS: Readonly<Record<string, Shorthand>> = {
  name: ['--name <name>', 'its name'],
  webhook_url: ['--webhook-url <address>', 'report the end to this address'],
  since: [
    '--since <time>',
    `leave out what the sitemap or feed dates before, such as 2026-03-01; ${LAST_RUN}`,
  ],
  carry: [
    '--carry <names>',
    'values beside the address to keep in results and rows: sku,price or column=name, or all',
    { read: readCarry },
  ],
  url: ['--page <address>', 'the page', { only: /Cron$/ }],
  enabled: ['--paused', 'without firing', { stands: false, only: /Cron$/ }],
  'target.parserId': ['-p, --parser <parser>', 'what to run: a parser, by id, slug or name'],
  'target.version': ['--parser-version <n>', 'this version of the parser'],
  'target.id': ['--api <id>', 'or a prebuilt API (`gleaner apis list`)'],
  'target.workflowId': ['--workflow <workflow>', 'or a workflow, by id, slug or name'],
  'source.sitemap': ['--sitemap <address>', 'the inputs are the addresses of this sitemap'],
  'source.feed': ['--feed <address>', 'the inputs are the addresses of this RSS, Atom or JSON feed'],
  'crawl.sources.links': ['--links', 'follow links; --no-links reads sitemaps and feeds alone'],
  'crawl.sources.sitemaps': ['--sitemaps', 'read sitemaps; --no-sitemaps does not'],
  'crawl.sources.feeds': ['--feed <address>', 'also read this RSS, Atom or JSON feed; can be repeated'],
  'limits.credits': ['--max-credits <n>', 'maximum credits that it may charge'],
  'scrape_config.useBrowser': ['--browser', 'load pages in a browser'],
  'scrape_config.waitSeconds': ['--wait <seconds>', 'wait after a page has loaded'],
  'scrape_config.waitForBrowser': ['--wait-for <css>', 'wait in the browser until this selector matches'],
  'scrape_config.timeoutSeconds': ['--timeout <seconds>', 'limit on one attempt'],
  'scrape_config.headers': ['--header <name:value>', 'header to send; can be repeated', { pairs: ':' }],
  'scrape_config.cookies': ['--cookie <name=value>', 'cookie to send; can be repeated', { pairs: '=' }],
  'scrape_config.respectRobots': ['--robots', 'obey robots.txt'],
  'sink.database': ['--database <database>', 'write rows to this database, by id, slug or name'],
  'sink.table': ['--table <table>', 'into this table'],
  'sink.key': ['--key <columns...>', 'columns that distinguish rows'],
  'sink.types': [
    '--column-type <column=type>',
    'type of a new column, such as price=numeric(10,2); can be repeated',
    { pairs: '=' },
  ],
  'sink.rows': ['--rows <path>', 'list in the data whose elements become rows'],
};

/** The shorthand of a field; those of `scrape_config` hold for a scrape too, whose body has them by themselves. */
export function shorthandOf(path: string): Shorthand | undefined {
  return SHORTHANDS[path] ?? SHORTHANDS[`scrape_config.${path}`];
}

/** Headings of a help by the object that its options belong to. */
export const HEADINGS: Readonly<Record<string, string>> = {
  target: 'What runs:',
  source: 'Inputs from the web:',
  crawl: 'Which pages:',
  limits: 'Limits:',
  scrape_config: 'Fetching:',
  sink: 'Writing rows to a database:',
};
