import { OPERATIONS } from './operations.ts';
import { GROUPS, type GroupName } from '../records/records.ts';
import type { Operation } from '../inputs/operation.ts';

/** Operations whose command does more than the call, by the words of that command. */
export const BY_HAND: Readonly<Record<string, string>> = {
  createBatch: 'batch submit',
  watchBatch: 'batch watch',
  createJob: 'jobs submit',
  createWorkflowRun: 'workflows run',
  watchWorkflowRun: 'runs watch',
  exportCrawlUrls: 'runs export',
  createCrawl: 'crawl',
  createMap: 'map',
  getChanges: 'changes',
  getCredits: 'credits',
  getParserOutput: 'parsers types',
  scrape: 'scrape',
  scrapeAsJson: 'scrape',
  scrapeWithSchema: 'scrape',
  parseHtml: 'parse',
  // The deliveries of the account have those of each webhook.
  listWebhookDeliveries: 'webhooks deliveries',
  replayWebhookDelivery: 'webhooks replay',
};

/** Names of commands that the path says wrongly. */
const NAMES: Readonly<Record<string, string>> = {
  getDatabase: 'tables',
  dropTable: 'drop',
  deleteRows: 'delete-rows',
  getBatchKeep: 'kept',
  createParserSample: 'add-sample',
  rotateWebhookSecret: 'rotate-secret',
  decideAbsentFields: 'decide-absent',
  publishRun: 'publish-removals',
  discardRun: 'discard-removals',
  resetParserHealth: 'reset-health',
  getParserLanguage: 'language',
  getUsage: 'usage',
  getOverview: 'show',
};

const VERBS = { GET: 'get', POST: 'create', PUT: 'update', DELETE: 'delete' } as const;

/** The last fixed word of the path, or what is done with the record that the path names. */
function nameOf({ id, method, path }: Operation): string {
  const given = NAMES[id];
  if (given !== undefined) return given;
  const [, , , ...rest] = path.split('/');
  const words = rest.filter((word) => !word.startsWith('{'));
  const last = words.at(-1);
  if (last === undefined) return method === 'GET' && rest.length === 0 ? 'list' : VERBS[method];
  return path.endsWith('}') ? `${VERBS[method]}-${last.replace(/s$/, '')}` : last;
}

export function operationOf(id: string): Operation {
  const operation = OPERATIONS.find((one) => one.id === id);
  if (!operation) throw new Error(`there is no operation ${id}`);
  return operation;
}

/** Where a command stands. */
export interface Place {
  group: GroupName;
  name: string;
}

/** The group and the name of an operation's command; undefined when it is written by hand, or has none. */
export function placeOf(operation: Operation): Place | undefined {
  const group = operation.path.split('/')[2] ?? '';
  const isInTable = (word: string): word is GroupName => Object.hasOwn(GROUPS, word);
  if (BY_HAND[operation.id] !== undefined || !isInTable(group)) return undefined;
  return { group, name: nameOf(operation) };
}

/** The words of the command of an operation; undefined when it has none. */
export function commandOf(operation: Operation): string | undefined {
  const place = placeOf(operation);
  return place ? `${GROUPS[place.group].word} ${place.name}` : BY_HAND[operation.id];
}
