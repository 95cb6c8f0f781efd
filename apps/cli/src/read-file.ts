import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ParserSchema } from '@gleaner/client';
import { Fault, messageOf } from './fault.ts';

function refuseTerminal(what: string): void {
  if (process.stdin.isTTY) {
    throw new Fault(`No ${what}: standard input is the terminal.`, 'Name a file, or pipe it in.');
  }
}

/** A file as a stream; `-` is standard input. @throws Fault when it can’t be opened */
export async function openInput(path: string, what: string): Promise<Readable> {
  if (path === '-') {
    refuseTerminal(what);
    return process.stdin;
  }
  try {
    const handle = await open(path);
    await handle.close();
  } catch (error) {
    throw new Fault(`can’t read ${path}: ${messageOf(error)}`);
  }
  return createReadStream(path);
}

/** The whole text of a file; `-` is standard input. @throws Fault */
export async function readText(path: string, what: string): Promise<string> {
  if (path === '-') {
    refuseTerminal(what);
    return text(process.stdin);
  }
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Fault(`can’t read ${path}: ${messageOf(error)}`);
  }
}

/** A schema file, or a parser file, which holds its schema under `schema`. @throws Fault */
export async function readSchemaFile(path: string): Promise<ParserSchema> {
  const value = await readJsonObject(path, 'schema');
  const { schema } = value;
  const found = typeof schema === 'object' && schema !== null && !('fields' in value) ? schema : value;
  // The service checks the schema and names the field that is wrong.
  return found as ParserSchema;
}

/** A file that holds a JSON object. @throws Fault */
export async function readJsonObject(path: string, what: string): Promise<Record<string, unknown>> {
  return parseJsonObject(await readText(path, what), path);
}

/** @throws Fault that names where the text is from */
export function parseJson(content: string, where: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new Fault(`${where} is not JSON: ${messageOf(error)}`);
  }
}

/** @throws Fault that names where the text is from */
export function parseJsonObject(content: string, where: string): Record<string, unknown> {
  const value = parseJson(content, where);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Fault(`${where} holds no JSON object.`);
  }
  return { ...value };
}
