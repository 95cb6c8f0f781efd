import type { Answer, ParserSchema } from '@gleaner/client';
import { isObject, PAGE_PARSER } from '@gleaner/contracts/values';
import type { Command } from 'commander';
import { Fault } from '../../fault.ts';
import { openInput, readSchemaFile, readText } from '../../read-file.ts';
import { note, plural, printJson } from '../../terminal/output.ts';
import { connect, type ServiceFlags } from '../connection/connect.ts';
import { findId } from '../connection/find-id.ts';
import { serviceCommand } from '../connection/service-command.ts';
import { readWords } from '../inputs/read-words.ts';
import { withBody, type ReadBody } from '../operations/body-options.ts';
import { groupCommand } from '../operations/operation-commands.ts';
import { toShellWords } from '../operations/shell-words.ts';
import { operationOf } from '../operations/table.ts';

interface ExtractionFlags extends ServiceFlags {
  parser?: string;
  schema?: string;
  explain?: boolean;
  url?: string;
}

/** @throws Fault for --parser beside --schema */
function requireOneAtMost({ parser, schema }: ExtractionFlags): void {
  if (parser === undefined || schema === undefined) return;
  throw new Fault('Give --parser or --schema, not both.', '`gleaner parsers list` shows your parsers.');
}

/** Prints what a schema reads, and on standard error what it doesn't. */
function printPreview(
  answer: Answer<{ data: unknown; fields: { path: string; error?: string }[]; hint?: string }>,
  explain: boolean,
): void {
  const { data, fields, hint } = answer.data;
  printJson(explain ? answer.data : data);
  for (const { path, error } of fields) if (error !== undefined) note(`${path}: ${error}`);
  if (hint !== undefined) note(toShellWords(hint));
  noteCall(answer);
}

function printAnswer(answer: Answer<unknown>): void {
  printJson(answer.data);
  noteCall(answer);
}

/** Says what a call ignored and, on a terminal, which credits it used. */
function noteCall({ creditsUsed: used = 0, creditsRemaining, notes }: Answer<unknown>): void {
  if (notes !== undefined) note(toShellWords(notes));
  if (process.stderr.isTTY && used > 0)
    note(`${plural(used, 'credit')} used, ${creditsRemaining ?? '?'} left`);
}

async function parse(path: string, flags: ExtractionFlags): Promise<void> {
  requireOneAtMost(flags);
  const client = connect(flags);
  const { url, explain = false } = flags;
  if (flags.schema !== undefined) {
    const schema = await readSchemaFile(flags.schema);
    const html = await readText(path, 'page');
    return printPreview(await client.parsers.preview({ schema, html, url, explain }).answer(), explain);
  }
  const id = await findId(client, 'parsers', flags.parser ?? PAGE_PARSER);
  // The bytes are sent as they are: the service finds the charset as a browser does.
  const content = await openInput(path, 'page');
  const html = { content, filename: 'page.html', contentType: 'text/html' };
  printJson(await client.extraction.parseHtmlFromFile(id, { html }, { url, explain: flags.explain }));
}

async function scrape(url: string, flags: ExtractionFlags, read: ReadBody): Promise<void> {
  requireOneAtMost(flags);
  const client = connect(flags);
  const { schema, explain = false, method, body, ...scrape_config } = await read(client);
  if (schema !== undefined) {
    const isExplained = explain === true;
    // The service checks what it is given, and names the field that is wrong.
    const input = { schema: schema as ParserSchema, url, scrape_config, explain: isExplained };
    return printPreview(await client.parsers.preview(input).answer(), isExplained);
  }
  const id = await findId(client, 'parsers', flags.parser ?? PAGE_PARSER);
  const input = { url, ...scrape_config, ...(explain === true ? { explain } : {}) };
  const call =
    method === undefined && body === undefined
      ? client.extraction.scrape(id, input)
      : client.extraction.scrapeAsJson(id, { ...input, method, body } as never);
  printAnswer(await call.answer());
}

async function callApi(id: string, words: string[], flags: ServiceFlags): Promise<void> {
  const client = connect(flags);
  const api = await client.apis.get(id);
  const { properties } = api.input_schema;
  const fields = Object.entries(isObject(properties) ? properties : {}).map(([path, schema]) => ({
    path,
    kind: isObject(schema) && schema['type'] === 'string' ? ('text' as const) : ('any' as const),
  }));
  printAnswer(await client.apis.call(api.id, await readWords(words, fields)).answer());
}

/** Adds `scrape`, `parse` and `apis call`, which print the data of one page. */
export function registerExtraction(program: Command): void {
  const parser = '-p, --parser <parser>';
  const about = `parser, by id, slug or name; without one ${PAGE_PARSER}, which gives any page as Markdown`;
  const scraping = serviceCommand(program, 'scrape', 'fetch a page and print its data as JSON', [
    'scrape https://shop.example/p/1 | jq -r .markdown',
    'scrape https://shop.example/p/1 --parser products',
    "scrape https://shop.example/p/1 --parser products --browser | jq '.price'",
    'scrape https://shop.example/p/1 --schema product.json --explain',
  ])
    .argument('<page>', 'address of the page')
    .option(parser, about);
  const read = withBody(scraping, { ...operationOf('scrapeWithSchema'), without: ['url'] });
  scraping.action((page: string, flags: ExtractionFlags) => scrape(page, flags, read));
  serviceCommand(program, 'parse', 'print the data of a page that you have, free', [
    'parse page.html --parser products',
    'curl -s https://a.example/ | gleaner parse -p products',
  ])
    .argument('[file]', 'the page; - is standard input', '-')
    .option(parser, about)
    .option('--schema <file>', 'or a schema that is not saved, as JSON')
    .option('--explain', 'also print how each field got its value')
    .option('--url <address>', 'address of the page, the base of its relative URLs')
    .action(parse);
  const calling = 'call a prebuilt API and print its answer as JSON';
  serviceCommand(groupCommand(program, 'apis'), 'call', calling, [
    'apis call photoapp-profile username=nasa',
    `apis call videosite-search '{"query": "owls"}'`,
  ])
    .argument('<api>', 'identifier')
    .argument('[parameters...]', 'name=value each, one JSON object, or - for JSON on standard input')
    .action(callApi);
}
