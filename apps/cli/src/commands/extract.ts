import { buffer } from 'node:stream/consumers';
import { checkSchema, compileParser, describeFault, extract } from '@gleaner/extractors';
import type { Command } from 'commander';
import { addExamples } from '../examples.ts';
import { print } from '../terminal/output.ts';
import { Fault } from '../fault.ts';
import { openInput, readSchemaFile } from '../read-file.ts';

interface ExtractFlags {
  schema?: string;
  api?: string;
  url?: string;
  explain?: boolean;
}

async function runParser(file: string, { schema: path, url, explain }: ExtractFlags): Promise<unknown> {
  if (path === undefined) throw new Fault('--schema FILE or --api ID is required');
  if (path === '-' && file === '-')
    throw new Fault('only one of schema and page can come from standard input');
  if (url !== undefined && !URL.canParse(url)) throw new Fault(`--url ${url} is not a URL`);
  const check = checkSchema(await readSchemaFile(path));
  if (!check.ok) throw new Fault(check.faults.map(describeFault).join('\n'));
  const body = await buffer(await openInput(file, 'page'));
  const result = extract(
    compileParser(check.schema),
    { body, url, finalUrl: url },
    { explain: explain === true },
  );
  if (!result.ok) {
    const { detail, fields } = result.failure;
    const lines = fields.map(
      ({ path: field, selector, reason }) =>
        `${field}${selector === null ? '' : ` (${selector})`}: ${reason}`,
    );
    throw new Fault(['extraction failed', ...(lines.length > 0 ? lines : [detail])].join('\n'));
  }
  return explain === true
    ? { data: result.data, fields: result.fields, explain: result.explain }
    : result.data;
}

async function run(files: string[], flags: ExtractFlags): Promise<void> {
  let result: unknown;
  if (flags.api === undefined) {
    const [file = '-', ...rest] = files;
    if (rest.length > 0) throw new Fault('one page at a time');
    result = await runParser(file, flags);
  } else {
    const { extractApi } = await import('./extract-api.ts');
    result = await extractApi(flags.api, files, flags.url);
  }
  print(JSON.stringify(result, null, 2));
}

/** `gleaner extract`: runs a schema on a page from disk or standard input, without any services. */
export function register(command: Command): void {
  command
    .description('extract data from a saved page, without any service; prints JSON')
    .argument('[files...]', 'the page, or - for standard input', ['-'])
    .option('--schema <file>', 'extraction schema as JSON')
    .option('--api <id>', 'a prebuilt API instead of a schema; files are its saved responses')
    .option('--url <url>', 'address of the page, the base of its relative URLs')
    .option('--explain', 'also explain how each field got its value');
  addExamples(command, [
    'extract page.html --schema product.json --url https://shop.example/p/1',
    'curl -s https://shop.example/p/1 | gleaner extract --schema product.json --explain',
    'extract profile.json --api photoapp-profile',
  ]).action(run);
}
