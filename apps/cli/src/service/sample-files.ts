import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../fault.ts';
import { format } from './parser-files.ts';
import { parseJsonObject } from '../read-file.ts';

/** A page in the folder `<parser file without .json>.samples`, with its expected values beside it. */
export interface SampleFile {
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
    throw new Fault(`can’t read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
export async function readSamples(parserPath: string): Promise<SampleFile[]> {
  const folder = parserPath.replace(/\.json$/, '.samples');
  const names = await readdir(folder).catch(() => []);
  const pages = names.filter((name) => /\.html?$/.test(name)).sort();
  return Promise.all(pages.map((name) => readSample(join(folder, name))));
}

/** Writes what a sample should read from now on. */
export async function writeExpected({ page, url }: SampleFile, data: object): Promise<void> {
  await writeFile(expectedPath(page), format({ ...(url === undefined ? {} : { url }), expected: data }));
}
