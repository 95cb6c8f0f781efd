import { isObject } from '@gleaner/contracts/values';
import { writeFile, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { EXIT, ExitCode } from '../exit-codes.ts';
import { Fault, messageOf } from '../fault.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { toJunit, type JunitCase } from './junit.ts';
import { readFiles, format, type StoredFile } from './parser-files.ts';
import { parseJsonObject } from '../read-file.ts';

/** A page in the folder `<parser file without .json>.samples`, with its expected values beside it. */
interface SampleFile {
  page: string;
  html: string;
  url: string | undefined;
  /** Expected values by field; undefined when no file has them. */
  expected: Record<string, unknown> | undefined;
}

function expectedPath(page: string): string {
  return page.replace(/\.html?$/, '.json');
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Fault(`can’t read ${path}: ${messageOf(error)}`);
  }
}

async function readSample(page: string): Promise<SampleFile> {
  const path = expectedPath(page);
  const text = await readText(path);
  const html = (await readText(page)) ?? '';
  if (text === undefined) return { page, html, url: undefined, expected: undefined };
  const { url, expected } = parseJsonObject(text, path);
  if (url !== undefined && (typeof url !== 'string' || !URL.canParse(url))) {
    throw new Fault(`${path}: url is not a URL.`);
  }
  if (!isObject(expected)) {
    throw new Fault(
      `${path} holds no object \`expected\`.`,
      'It is {"url": "…", "expected": {field: value}}.',
    );
  }
  return { page, html, url, expected };
}

/** The samples of a parser file, by name; none when it has no folder of samples. */
async function readSamples(parserPath: string): Promise<SampleFile[]> {
  const folder = parserPath.replace(/\.json$/, '.samples');
  const names = await readdir(folder).catch(() => []);
  const pages = names.filter((name) => /\.html?$/.test(name)).sort();
  return Promise.all(pages.map((name) => readSample(join(folder, name))));
}

interface TestFlags {
  dir: string;
  junit?: string;
  update?: boolean;
  json?: boolean;
}

interface Tested extends JunitCase {
  /** Whether its expected values were written. */
  isNew: boolean;
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function compare(data: Record<string, unknown>, expected: Record<string, unknown>): string[] {
  return Object.entries(expected).flatMap(([field, value]) => {
    const actual = Object.hasOwn(data, field) ? data[field] : null;
    if (isDeepStrictEqual(actual, value)) return [];
    return [`${field} is ${shorten(actual)}, expected ${shorten(value)}`];
  });
}

async function openExtraction({ path, parser }: StoredFile) {
  // The engine takes a second to load, and only this command of the service's needs it.
  const { checkSchema, compileParser, describeFault, extract } = await import('@gleaner/extractors');
  const check = checkSchema(parser.schema);
  if (!check.ok) throw new Fault(`${path}: ${check.faults.map(describeFault).join('\n')}`);
  const compiled = compileParser(check.schema);
  return ({ html, url }: SampleFile) => {
    const result = extract(compiled, { body: html, url, finalUrl: url });
    if (result.ok) return { data: JSON.parse(JSON.stringify(result.data)) as Record<string, unknown> };
    const { detail, fields } = result.failure;
    const lines = fields.map(({ path: field, reason }) => `${field}: ${reason}`);
    return { faults: lines.length > 0 ? lines : [detail] };
  };
}

async function testFile(file: StoredFile, { update }: TestFlags): Promise<Tested[]> {
  const samples = await readSamples(file.path);
  const read = await openExtraction(file);
  const tested: Tested[] = [];
  for (const sample of samples) {
    const startedAt = performance.now();
    const { data, faults: failure } = read(sample);
    const isNew = update === true && data !== undefined;
    if (isNew) await writeFile(expectedPath(sample.page), format({ url: sample.url, expected: data }));
    const found = sample.expected
      ? compare(data ?? {}, sample.expected)
      : ['it has no expected values: write them with --update'];
    tested.push({
      suite: file.path,
      name: basename(sample.page),
      seconds: (performance.now() - startedAt) / 1000,
      faults: failure ?? (isNew ? [] : found),
      isNew,
    });
  }
  return tested;
}

/** Runs parser files over their sample pages, on this machine and without a service. @throws ExitCode when one fails */
export async function testParsers(paths: string[], flags: TestFlags): Promise<void> {
  const files = await readFiles(paths, flags.dir);
  const tested: Tested[] = [];
  for (const file of files) tested.push(...(await testFile(file, flags)));
  const withSamples = new Set(tested.map(({ suite }) => suite));
  if (tested.length === 0) {
    throw new Fault(
      'No parser file has samples.',
      'Put pages into <parser>.samples/*.html beside its file, and run with --update.',
    );
  }
  if (flags.junit !== undefined) await writeFile(flags.junit, toJunit(tested));
  const failed = tested.filter(({ faults }) => faults.length > 0);
  if (flags.json === true) {
    const results = tested.map(({ suite, name, faults }) => ({ parser: suite, page: name, faults }));
    printJson({ passed: tested.length - failed.length, failed: failed.length, results });
  } else {
    for (const { suite, name, faults, isNew } of tested) {
      print(`${faults.length > 0 ? 'failed' : isNew ? 'written' : 'passed'}\t${suite}\t${name}`);
      for (const fault of faults) print(`\t${fault}`);
    }
  }
  for (const { path } of files) if (!withSamples.has(path)) note(`${path} has no samples.`);
  note(`${tested.length - failed.length} of ${tested.length} samples passed.`);
  if (failed.length > 0) throw new ExitCode(EXIT.failed);
}
