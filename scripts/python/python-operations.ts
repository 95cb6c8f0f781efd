import type { Operation } from '@gleaner/contracts';
import { listOf, methodName, waitOf } from '../../packages/client/src/list-routes.ts';
import { placeOf } from '../../packages/client/src/place-of.ts';
import { jsonSchemaOf, nameWithin, resolve, type Schema, type TypeWriter } from '../client/client-types.ts';
import { dryRunOf, docOf, paramsOf, pascalCase, WAIT_DOC } from '../client/operation-facts.ts';
import { writeNames } from './python-types.ts';

/** A keyword of a method. */
export interface Keyword {
  /** In the request. */
  key: string;
  type: string;
  isRequired: boolean;
}

export interface Method {
  group: string;
  name: string;
  doc: string;
  params: string[];
  keywords: Keyword[];
  /** What the plain client returns, and what the asynchronous one does. */
  returns: { sync: string; async: string };
  /** How the transport is called. */
  kind: 'json' | 'empty' | 'list' | 'stream' | 'events' | 'wait';
  route: string;
  /** The keywords that are no part of the query. */
  takes: 'body' | 'parts' | undefined;
  bodyKeys: string[];
  /** Parts of a form that are files. */
  files: string[];
  dryRun: { dry: string; real: string } | undefined;
}

/** A type in the other modules. */
function inModule(type: string): string {
  return writeNames(type, (name) => `t.${name}`);
}

/** The members of a body; of several kinds of bodies all members, of which each body needs some. */
function membersOf(schema: Schema): { key: string; schema: Schema; isRequired: boolean }[] {
  const whole = resolve(schema);
  const options = whole.properties ? [whole] : (whole.anyOf ?? whole.oneOf ?? []);
  const keys = [...new Set(options.flatMap(({ properties = {} }) => Object.keys(properties)))];
  return keys.map((key) => {
    const found = options.flatMap(({ properties = {} }) => properties[key] ?? []);
    return {
      key,
      schema: { ...(found.length === 1 ? found[0] : { anyOf: found }), $defs: schema.$defs },
      isRequired: options.every(({ required = [] }) => required.includes(key)),
    };
  });
}

function keywordsOf(schema: Schema, types: TypeWriter, hint: string): Keyword[] {
  return membersOf(schema).map(({ key, schema: member, isRequired }) => ({
    key,
    type: inModule(types.type(member, 'input', nameWithin(hint, key))),
    isRequired,
  }));
}

function partKeywords(operation: Operation, types: TypeWriter): Keyword[] {
  const body = operation.body && membersOf(jsonSchemaOf(operation.body, 'input'));
  return Object.entries(operation.upload?.parts ?? {}).map(([key, part]) => {
    const member = body?.find((one) => one.key === key);
    const hint = nameWithin(`${pascalCase(operation.id)}Input`, key);
    const type = part.binary
      ? 'FileInput'
      : member
        ? inModule(types.type(member.schema, 'input', hint))
        : 'str';
    return { key, type, isRequired: part.required };
  });
}

type Answer = Pick<Method, 'kind' | 'returns' | 'dryRun'>;

function namedAnswer({ id }: Operation, schema: Schema, types: TypeWriter): string {
  const name = `${pascalCase(id)}Answer`;
  const shared = types.type(schema, 'output', name);
  if (!/^[A-Z]\w*$/.test(shared)) types.declare(name, schema, 'output');
  return `t.${/^[A-Z]\w*$/.test(shared) ? shared : name}`;
}

function answerOf(operation: Operation, types: TypeWriter): Answer {
  const { answer } = operation;
  const plain = (kind: Method['kind'], sync: string, other = sync): Answer => ({
    kind,
    returns: { sync, async: other },
    dryRun: undefined,
  });
  switch (answer.kind) {
    case 'empty':
      return plain('empty', 'None');
    case 'stream':
      return plain('stream', 'Download', 'AsyncDownload');
    case 'events': {
      const type = inModule(
        types.type(jsonSchemaOf(answer.schema, 'output'), 'output', `${pascalCase(operation.id)}Event`),
      );
      return plain('events', `Iterator[ServerEvent[${type}]]`, `AsyncIterator[ServerEvent[${type}]]`);
    }
    case 'json':
    case 'json-text': {
      const schema = jsonSchemaOf(answer.schema, 'output');
      const dry = dryRunOf(schema);
      if (dry) {
        const [dryType = '', real = ''] = [dry.dry, dry.real].map((option) =>
          inModule(
            types.type({ ...option, $defs: schema.$defs }, 'output', `${pascalCase(operation.id)}Answer`),
          ),
        );
        return { ...plain('json', `Union[${real}, ${dryType}]`), dryRun: { dry: dryType, real } };
      }
      const page = namedAnswer(operation, schema, types);
      const whole = resolve(schema);
      const list = listOf(operation);
      if (list === undefined) return plain('json', page);
      const items = { ...whole.properties?.[list]?.items, $defs: schema.$defs };
      const item = inModule(types.type(items, 'output', `${page.slice(2)}${pascalCase(list)}`));
      return plain('list', `Listing[${page}, ${item}]`, `AsyncListing[${page}, ${item}]`);
    }
  }
}

/** The method of an operation that is called one way. */
export function methodOf(
  operation: Operation,
  types: TypeWriter,
  takes: 'body' | 'parts' | undefined,
): Method {
  const { id, path, query, body } = operation;
  const bodyKeywords =
    takes === 'parts'
      ? partKeywords(operation, types)
      : body
        ? keywordsOf(jsonSchemaOf(body, 'input'), types, `${pascalCase(id)}Input`)
        : [];
  const queryKeywords = query
    ? keywordsOf(jsonSchemaOf(query, 'input'), types, `${pascalCase(id)}Query`)
    : [];
  return {
    group: placeOf(operation).group,
    name: methodName(operation, takes),
    doc: docOf(operation),
    params: paramsOf(path),
    keywords: [...bodyKeywords, ...queryKeywords],
    route: id,
    takes,
    bodyKeys: bodyKeywords.map(({ key }) => key),
    files: bodyKeywords.filter(({ type }) => type === 'FileInput').map(({ key }) => key),
    ...answerOf(operation, types),
  };
}

/** `wait_for` of a resource that runs. */
export function waitMethodOf(
  operation: Operation,
  types: TypeWriter,
  all: readonly Operation[],
): Method | undefined {
  const { id, answer } = operation;
  if (!waitOf(operation, all) || !('schema' in answer)) return undefined;
  const type = `t.${types.type(jsonSchemaOf(answer.schema, 'output'), 'output', `${pascalCase(id)}Answer`)}`;
  return {
    group: placeOf(operation).group,
    name: 'waitFor',
    doc: WAIT_DOC.replace('Resolves with', 'Waits, and returns'),
    params: [],
    keywords: [],
    kind: 'wait',
    route: id,
    takes: undefined,
    bodyKeys: [],
    files: [],
    returns: { sync: type, async: type },
    dryRun: undefined,
  };
}
