import * as contracts from '@gleaner/contracts';
import { exampleOf, isForPrograms, type Operation } from '@gleaner/contracts';
import { Option, type Command } from 'commander';
import { callOperation, propertiesOf, type Property } from './call-operation.ts';
import { withLimit, hasNames, serviceCommand } from './service-command.ts';
import { GROUPS } from './records.ts';

/** Operations whose command does more than the call, by the words of that command. */
export const BY_HAND: Readonly<Record<string, string>> = {
  createBatch: 'batch submit',
  watchBatch: 'batch watch',
  exportBatch: 'batch export',
  createJob: 'jobs submit',
  createCron: 'crons create',
  previewCron: 'crons preview',
  createWorkflowRun: 'workflows run',
  watchWorkflowRun: 'runs watch',
  exportWorkflowRunResults: 'runs export',
  exportCrawlUrls: 'runs export',
  createCrawl: 'crawl',
  createMap: 'map',
  createDatabase: 'db create',
  exportTable: 'db export',
  getCredits: 'credits',
  getParserOutput: 'parsers types',
  scrape: 'scrape',
  scrapeAsJson: 'scrape',
  scrapeWithSchema: 'scrape',
  parseHtml: 'parse',
  listApis: 'apis list',
  getApi: 'apis get',
  // The deliveries of the account have those of each webhook.
  listWebhookDeliveries: 'webhooks deliveries',
  replayWebhookDelivery: 'webhooks replay',
};

/** Names of commands that the path says wrongly. */
const NAMES: Readonly<Record<string, string>> = {
  getDatabase: 'tables',
  dropTable: 'drop',
  createParserSample: 'add-sample',
  rotateWebhookSecret: 'rotate-secret',
  resetParserHealth: 'reset-health',
  getParserLanguage: 'language',
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

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'path' in value && 'answer' in value;
}

/** The operations that programs may call, without the prebuilt APIs. */
export function listOperations(): Operation[] {
  return Object.values<unknown>(contracts).filter(isOperation).filter(isForPrograms);
}

/** The group and the name of an operation's command; undefined when it is written by hand, or has none. */
export function placeOf(operation: Operation): { group: keyof typeof GROUPS; name: string } | undefined {
  const group = operation.path.split('/')[2] ?? '';
  const isInTable = (word: string): word is keyof typeof GROUPS => Object.hasOwn(GROUPS, word);
  if (BY_HAND[operation.id] !== undefined || !isInTable(group)) return undefined;
  return { group, name: nameOf(operation) };
}

/** Adds a command for each operation that has none written by hand. */
export function registerOperations(program: Command): void {
  for (const operation of listOperations()) {
    const place = placeOf(operation);
    if (!place) continue;
    const { word, about } = GROUPS[place.group];
    const parent =
      program.commands.find((known) => known.name() === word) ?? program.command(word).description(about);
    addCommand(parent, operation, place);
  }
}

function kebabCase(name: string): string {
  return name.replaceAll('_', '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `Batches of the account.` as the command line says it. */
function phrase(sentence: string): string {
  return sentence.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()).replace(/\.$/, '');
}

function addOption(command: Command, name: string, property: Property): void {
  const isSwitch = property.anyOf?.some(({ type }) => type === 'boolean') === true;
  const option = new Option(
    `--${kebabCase(name)}${isSwitch ? '' : ' <value>'}`,
    phrase(property.description ?? ''),
  );
  command.addOption(property.enum ? option.choices(property.enum) : option);
}

/** A call as it is typed, from the operation's example in the API's documentation. */
function exampleFor(operation: Operation, words: string): string {
  const { params = {}, body } = exampleOf(operation);
  const fields = body === undefined ? [] : [`'${JSON.stringify(body)}'`];
  return [words, ...Object.values(params), ...fields].join(' ');
}

function addCommand(
  parent: Command,
  operation: Operation,
  { group, name }: { group: keyof typeof GROUPS; name: string },
): void {
  const command = serviceCommand(parent, name, phrase(operation.summary), [
    exampleFor(operation, `${parent.name()} ${name}`),
  ]);
  for (const param of Object.keys(operation.params?.shape ?? {})) {
    if (param !== 'id') command.argument(`<${kebabCase(param)}>`);
    else command.argument(`<${GROUPS[group].one}>`, hasNames(group) ? 'id, slug or name' : 'id');
  }
  if (operation.body)
    command.argument('[fields...]', 'name=value each, one JSON object, or - for JSON on standard input');
  const { cursor, limit: _limit, ...query } = propertiesOf(operation.query);
  if (cursor !== undefined) withLimit(command);
  for (const [field, property] of Object.entries(query)) addOption(command, field, property);
  command.action(() => callOperation(operation, group, command));
}
