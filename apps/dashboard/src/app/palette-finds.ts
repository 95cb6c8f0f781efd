import { linkOptions, type LinkOptions } from '@tanstack/react-router';
import { TITLES } from '../format/titles.ts';
import { runPlace } from '../runs/run-link.tsx';

/** Something that typed text may mean besides a name. */
export interface Find {
  /** Where others may have the same label. */
  id?: string;
  label: string;
  about: string;
  to: LinkOptions;
  /** It searches for the text, whether or not there is something. */
  isSearch?: boolean;
}

/** Pages with their filters set. */
export const VIEWS: readonly Find[] = [
  {
    label: 'Watch a page',
    about: 'Tells you when it says something else',
    to: linkOptions({ to: '/watch' }),
  },
  {
    label: 'Runs with failures',
    about: 'Newest first, with a retry by cause',
    to: linkOptions({ to: '/runs', search: { status: 'with_failures' } }),
  },
  {
    label: 'Runs with held rows',
    about: 'Rows to write or drop',
    to: linkOptions({ to: '/runs', search: { status: 'held' } }),
  },
  {
    label: 'What goes on now',
    about: 'Runs that are unfinished',
    to: linkOptions({ to: '/runs', search: { status: 'running' } }),
  },
  {
    label: 'Failed calls of webhooks',
    about: 'With a replay each',
    to: linkOptions({ to: '/webhooks', search: { status: 'failed' } }),
  },
  {
    label: 'The last 30 days',
    about: 'Pages by day and outcome',
    to: linkOptions({ to: '/', search: { period: 'month' } }),
  },
];

/** Other words by which people look for a page or a command, by its label. */
export const WORDS: Readonly<Record<string, string>> = {
  Today: 'home overview dashboard collections what failed what changed what runs next',
  Runs: 'failed logs history results jobs',
  'Runs with failures': 'failed errors retry',
  'Runs with held rows': 'quarantine doubtful drift',
  'New crawl': 'map a site sitemap spider',
  'New cron': 'schedule daily every day automatic',
  'New batch': 'list of urls upload csv run',
  'New parser': 'scrape extract selector',
  Crons: 'collections schedules timer',
  Databases: 'rows data export download csv excel',
  Credits: 'usage costs spending billing price balance budget',
  Keys: 'api keys token password access',
  Alerts: 'notifications email slack ntfy telegram tell me',
  Webhooks: 'events callbacks deliveries',
  Operator: 'admin workers memory limits',
  'Watch a page': 'changes monitor notify price drop',
};

interface Table {
  database: string;
  name: string;
  columns: readonly { name: string; type: string }[];
}

/** The places of records by the beginning of their identifiers; runs have theirs. */
const PLACES: Readonly<Record<string, (id: string) => LinkOptions>> = {
  crn: (collectionId) => linkOptions({ to: '/collections/$collectionId', params: { collectionId } }),
  prs: (parserId) => linkOptions({ to: '/parsers/$parserId', params: { parserId } }),
  wfl: (workflowId) => linkOptions({ to: '/workflows/$workflowId', params: { workflowId } }),
  db: (databaseId) => linkOptions({ to: '/databases/$databaseId', params: { databaseId } }),
};

const ID = /^([a-z]{2,3})_[a-z0-9]{10,40}$/;
const URL_START = /^https?:\/\/\S+\.\S+$/;
/** Shorter texts are in too many rows. */
const LEAST = 3;
const MOST_TABLES = 4;

function findId(text: string): Find[] {
  const prefix = ID.exec(text)?.[1];
  const to = prefix === undefined ? undefined : (runPlace(text) ?? PLACES[prefix]?.(text));
  return to ? [{ label: `Open ${text}`, about: 'By its identifier', to }] : [];
}

function findAddress(text: string): Find[] {
  if (!URL_START.test(text)) return [];
  return [
    {
      label: `New parser of ${text}`,
      about: 'Opens it after a click',
      to: linkOptions({ to: '/parsers/new', search: { open: text } }),
    },
    {
      label: `Watch ${text}`,
      about: 'Tells you when it changes',
      to: linkOptions({ to: '/watch', search: { url: text } }),
    },
    {
      label: `Runs of ${text}`,
      about: 'Jobs that read it',
      to: linkOptions({ to: '/runs', search: { search: text } }),
    },
  ];
}

/** The tables whose name has the typed text. */
export function findTables(
  text: string,
  tables: readonly { database: string | null; table: string | null }[],
): Find[] {
  const found = tables.flatMap(({ database, table }) =>
    database !== null && table?.toLowerCase().includes(text.toLowerCase()) === true
      ? [{ database, table }]
      : [],
  );
  return [...new Map(found.map((one) => [`${one.database} ${one.table}`, one])).values()].map(
    ({ database, table }) => ({
      id: `${database} ${table}`,
      label: table,
      about: 'Table',
      to: linkOptions({
        to: '/databases/$databaseId/$table',
        params: { databaseId: database, table },
      }),
    }),
  );
}

/** The rows of a table whose title, or first text, has the typed text. */
function findRows(text: string, { database, name, columns }: Table): Find[] {
  const texts = columns.filter((column) => /text|char/.test(column.type) && !column.name.startsWith('_'));
  const column = texts.find((one) => TITLES.test(one.name)) ?? texts[0];
  if (column === undefined) return [];
  return [
    {
      label: `Rows of ${name} with “${text}”`,
      about: `In the column ${column.name}`,
      isSearch: true,
      to: linkOptions({
        to: '/databases/$databaseId/$table',
        params: { databaseId: database, table: name },
        search: { filter: JSON.stringify({ [column.name]: { contains: text } }) },
      }),
    },
  ];
}

/** What typed text may mean: a record by its identifier, a page by its address, or a value in tables. Nothing is read for it. */
export function findsOf(text: string, tables: readonly Table[]): Find[] {
  if (text.length < LEAST) return [];
  const exact = [...findId(text), ...findAddress(text)];
  return exact.length > 0 ? exact : tables.slice(0, MOST_TABLES).flatMap((table) => findRows(text, table));
}
