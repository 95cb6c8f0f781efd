import type { Operation } from '@gleaner/contracts';
import { isObject } from '@gleaner/contracts/values';
import type { Client } from '@gleaner/client';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { z } from 'zod';
import { Fault } from '../../fault.ts';
import { wholeNumber } from '../../numbers.ts';
import { parseJson, parseJsonObject, readJson, readJsonObject, readSchemaFile } from '../../read-file.ts';
import { findId, hasNames } from '../connection/find-id.ts';
import { collectInputs } from '../inputs/read-inputs.ts';
import { isPair, readPairs, readValue } from '../inputs/read-words.ts';
import { takesUrls } from '../inputs/takes-urls.ts';
import { addKinds, fieldsOf, schemaOf, type Field } from './fields.ts';
import { kebabCase, phrase } from './wording.ts';
import { HEADINGS, SHORTHANDS, type Shorthand } from './shorthands.ts';

type Body = Record<string, unknown>;

/** An option of a field. */
interface FieldOption {
  option: Option;
  field: Field;
  rules?: Shorthand[2];
}

function setAt(body: Body, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) body[name] = value;
  else {
    const inner = body[name];
    const object: Body = isObject(inner) ? inner : {};
    body[name] = object;
    setAt(object, rest, value);
  }
}

function valueAt(body: Body, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), body);
}

/** A number as an option gives it. @throws InvalidArgumentError */
function readNumber({ value: { type, minimum = -1e15, maximum = 1e15 } }: Field): (text: string) => number {
  if (type === 'integer') return wholeNumber(minimum, maximum);
  return (text) => {
    const number = Number(text);
    if (text.trim() !== '' && number >= minimum && number <= maximum) return number;
    throw new InvalidArgumentError(`must be a number from ${minimum} to ${maximum}.`);
  };
}

/** The value of a field that a text stands for. What is not valid stays as it is: the service names what is wrong. */
async function toValue(field: Field, text: unknown): Promise<unknown> {
  if (typeof text !== 'string') return text;
  if (text === 'null' && field.isNullable) return null;
  const { kind, value } = field;
  if (kind === 'any' && value.format !== 'date-time') return readValue(text);
  if (kind === 'switch') return text === 'true' || text === 'false' ? text === 'true' : text;
  if (kind === 'number') return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
  if (kind === 'json' && /^\s*[[{]/.test(text)) return parseJson(text, text);
  if (kind === 'json') return field.path.at(-1) === 'schema' ? readSchemaFile(text) : readJson(text);
  const time = value.format === 'date-time' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? text : new Date(time).toISOString();
}

async function toList(field: Field, texts: readonly string[]): Promise<unknown[]> {
  const [first = ''] = texts;
  if (texts.length === 1 && first.startsWith('[')) {
    const list = parseJson(first, first);
    return Array.isArray(list) ? list : [list];
  }
  return (await Promise.all(texts.map((text) => toValue(field, text)))).flat();
}

/** The option of a field by its shorthand or its own name, and one by its whole path, which the help leaves out. */
function optionsOf(field: Field, { id }: Operation, isTaken: (long: string) => boolean): FieldOption[] {
  const { path, kind, isList, about } = field;
  const isNested = path.length > 1;
  const takes = { switch: '', json: ' <json>', number: ' <n>', text: ' <value>', any: ' <value>' }[kind];
  const found = SHORTHANDS[path.join('.')] ?? SHORTHANDS[`scrape_config.${path.join('.')}`];
  const shorthand = found?.[2]?.only?.test(id) === false ? undefined : found;
  const names = path.map(kebabCase);
  const own = `--${names.slice(isNested ? 1 : 0).join('-')}${takes}`;
  const wanted: FieldOption[] = [];
  const want = (flags: string, text: string, rules?: Shorthand[2]): void => {
    const option = new Option(flags, text).hideHelp(text === '' && isNested);
    const isRepeated = wanted.some((other) => other.option.long === option.long);
    if (!isRepeated && !isTaken(option.long ?? '')) wanted.push({ option, field, rules });
  };
  if (shorthand) want(...shorthand);
  if (path[0] !== 'target' && !(shorthand && isNested))
    want(own, `${phrase(about)}${isList ? '; can be repeated' : ''}`);
  if (isNested) want(`--${names.join('.')}${takes}`, '');
  const negatives = wanted
    .filter(({ option, rules }) => !option.required && rules?.stands === undefined)
    .map(({ option }) => ({ option: new Option(`--no-${option.name()}`).hideHelp(), field }));
  return [...wanted, ...negatives];
}

function prepare({ option, field, rules }: FieldOption): Option {
  const { value, kind, isList, path } = field;
  const heading = path.length > 1 ? HEADINGS[path[0] ?? ''] : undefined;
  if (heading !== undefined) option.helpGroup(heading);
  if (!option.required || option.variadic) return option;
  if (isList || rules?.pairs !== undefined)
    return option.argParser((text: string, before: readonly string[] | undefined) => [
      ...(before ?? []),
      text,
    ]);
  if (kind === 'number') return option.argParser(readNumber(field));
  return value.enum && kind === 'text' ? option.choices(value.enum) : option;
}

function splitPairs(texts: readonly string[], separator: string, option: Option): Body {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf(separator);
      if (at < 1)
        throw new Fault(`${option.flags}: ${JSON.stringify(text)} has no name before a ${separator}`);
      return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    }),
  );
}

/** The field's value by an option that was given. */
async function valueOf({ option, field, rules }: FieldOption, given: unknown): Promise<unknown> {
  if (rules?.stands !== undefined) return rules.stands;
  if (!Array.isArray(given)) return toValue(field, given);
  return rules?.pairs === undefined ? toList(field, given) : splitPairs(given, rules.pairs, option);
}

async function setWords(body: Body, fields: readonly Field[], words: readonly string[]): Promise<void> {
  for (const [name, own] of Map.groupBy(readPairs(words), ([first]) => first)) {
    const texts = own.map(([, text]) => text);
    const field = fields.find(({ path }) => path.join('.') === name);
    const value = field?.isList === true ? toList(field, texts) : field && toValue(field, texts.at(-1));
    setAt(body, field?.path ?? [name], field ? await value : readValue(texts.at(-1) ?? ''));
  }
}

/** Reads the body of an operation from the options of its command. @param words `name=value` each, one JSON object, or `-` */
export type ReadBody = (client: Client, words?: readonly string[]) => Promise<Body>;

interface BodyRules {
  /** Words of the command line: a command that they don't name needs no options. */
  words: readonly string[];
  /** Fields that the command gives by itself. */
  without?: readonly string[];
  /** The field that a single word without a name stands for. */
  word?: string | undefined;
  /** Fields that the command takes beside those of the operation. */
  further?: Readonly<Record<string, z.ZodType>>;
}

async function readWords(words: readonly string[], fields: readonly Field[], word?: string): Promise<Body> {
  const [first = ''] = words;
  if (words.length === 1 && first === '-') return readJsonObject('-', 'fields');
  if (words.length === 1 && first.trimStart().startsWith('{')) return parseJsonObject(first, 'the argument');
  if (words.length === 1 && word !== undefined && !isPair(first)) return { [word]: first };
  const body: Body = {};
  await setWords(body, fields, words);
  return body;
}

/** Replaces names of records by their ids. */
async function resolveNames(client: Client, body: Body, fields: readonly Field[]): Promise<void> {
  for (const { path, value } of fields) {
    const group = `${value.names ?? ''}s`;
    const text = valueAt(body, path);
    if (hasNames(group) && typeof text === 'string') setAt(body, path, await findId(client, group, text));
  }
}

/** Whether words can call a command: they name it and its group. */
export function isCalled(command: Command, words: readonly string[]): boolean {
  const { parent } = command;
  return words.includes(command.name()) && (!parent?.parent || isCalled(parent, words));
}

/** Adds an option for each field of an operation's body. @returns what reads them once the command is called */
export function withBody(
  command: Command,
  operation: Operation,
  { words: called, without = [], word, further = {} }: BodyRules,
): ReadBody {
  if (!isCalled(command, called)) return async () => ({});
  const own = schemaOf(operation.body);
  const added = Object.entries(further).map(([name, one]) => [name, schemaOf(one)]);
  const schema =
    added.length === 0 ? own : { properties: { ...own.properties, ...Object.fromEntries(added) } };
  const all = fieldsOf(schema);
  const fields = all.filter(({ path: [name = ''] }) => !without.includes(name) && name !== 'inputs');
  const hasInputs = all.some(({ path: [name] }) => name === 'inputs') && !without.includes('inputs');
  command.option('--file <file>', 'the fields as a JSON object; - is standard input');
  if (hasInputs)
    command.option(
      '--inputs <file>',
      'a file of inputs (CSV, TSV, NDJSON, lines), - for standard input, or an input; can be repeated',
      (text: string, before: readonly string[] | undefined) => [...(before ?? []), text],
    );
  const isTaken = (long: string): boolean => command.options.some((option) => option.long === long);
  const given = fields.flatMap((field) => {
    const options = optionsOf(field, operation, isTaken);
    for (const one of options) command.addOption(prepare(one));
    return options;
  });
  return async (client, words = []) => {
    const { file, inputs } = command.opts<{ file?: string; inputs?: string[] }>();
    const body = file === undefined ? {} : await readJsonObject(file, 'fields');
    Object.assign(body, await readWords(words, all, word));
    for (const one of given) {
      const value: unknown = command.getOptionValue(one.option.attributeName());
      // `--no-wait` is of the call, and `--wait` of the page.
      if (value === undefined || (value === false && one.field.kind !== 'switch')) continue;
      setAt(body, one.field.path, await valueOf(one, value));
    }
    const whole = addKinds(schema, body) as Body;
    await resolveNames(client, whole, all);
    if (inputs !== undefined)
      whole['inputs'] = await collectInputs(inputs, { takesUrls: await takesUrls(client, whole['target']) });
    return whole;
  };
}
