import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ParserSchema } from '@gleaner/client';
import { isObject, parseExactJson } from '@gleaner/contracts/values';
import { Fault, messageOf } from './fault.ts';

/** @throws Fault in place of what reading the file throws */
async function reading<T>(path: string, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw new Fault(`can’t read ${path}: ${messageOf(error)}`);
  });
}

/** A file as a stream; `-` is standard input. @throws Fault when it can’t be opened */
export async function openInput(path: string, what: string): Promise<Readable> {
  if (path !== '-') {
    const handle = await reading(path, open(path));
    await handle.close();
    return createReadStream(path);
  }
  if (process.stdin.isTTY)
    throw new Fault(`No ${what}: standard input is the terminal.`, 'Name a file, or pipe it in.');
  return process.stdin;
}

/** The whole text of a file; `-` is standard input. @throws Fault */
export async function readText(path: string, what: string): Promise<string> {
  return path === '-' ? text(await openInput(path, what)) : reading(path, readFile(path, 'utf8'));
}

/** A schema file, or a parser file, which holds its schema under `schema`. @throws Fault */
export async function readSchemaFile(path: string): Promise<ParserSchema> {
  const value = await readJsonObject(path, 'schema');
  const { schema } = value;
  const found = isObject(schema) && !('fields' in value) ? schema : value;
  // The service checks the schema and names the field that is wrong.
  return found as ParserSchema;
}

/** A file of JSON. @throws Fault */
export async function readJson(path: string): Promise<unknown> {
  return parseJson(await readText(path, 'JSON'), path);
}

/** A file that holds a JSON object. @throws Fault */
export async function readJsonObject(path: string, what: string): Promise<Record<string, unknown>> {
  return parseJsonObject(await readText(path, what), path);
}

/** @throws Fault that names where the text is from */
export function parseJson(content: string, where: string): unknown {
  try {
    return parseExactJson(content);
  } catch (error) {
    throw new Fault(`${where} is not JSON: ${messageOf(error)}`);
  }
}

/** @throws Fault that names where the text is from */
export function parseJsonObject(content: string, where: string): Record<string, unknown> {
  const value = parseJson(content, where);
  if (!isObject(value)) throw new Fault(`${where} holds no JSON object.`);
  return value;
}
