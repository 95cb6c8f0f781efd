import { API_OPERATIONS, ERRORS, WEBHOOK_EVENTS, type Operation } from '@gleaner/contracts';
import { OPERATIONS } from '../../packages/client/src/contracts.ts';
import { listOf, methodName, waitOf } from '../../packages/client/src/list-routes.ts';
import { placeOf } from '../../packages/client/src/place-of.ts';
import { comment, indent, jsonSchemaOf, type Schema, type TypeWriter } from './client-types.ts';
import {
  createServiceTypes,
  docOf,
  dryRunOf,
  groupMethods,
  isNumber,
  listMethods,
  paramsOf,
  pascalCase,
  WAIT_DOC,
} from './operation-facts.ts';
import { TYPESCRIPT } from './typescript.ts';

interface Method {
  group: string;
  name: string;
  doc: string;
  signature: string;
}

/** The type of the parts of a form: those that the JSON body has too have its types. */
function partsSchema(operation: Operation, write: TypeWriter): string {
  const body = operation.body && jsonSchemaOf(operation.body, 'input');
  const lines = Object.entries(operation.upload?.parts ?? {}).map(([name, part]) => {
    const property = body?.properties?.[name];
    const type = part.binary ? 'FileInput' : property ? write.type(property, 'input') : 'string';
    const description = property?.description ?? part.description;
    return `${comment(description)}${name}${part.required ? '' : '?'}: ${type};`;
  });
  return `{${indent(`\n${lines.join('\n')}`)}\n}`;
}

function dryRunType(schema: Schema, types: TypeWriter): string | undefined {
  const answers = dryRunOf(schema);
  if (!answers) return undefined;
  const [dry, real] = [answers.dry, answers.real].map((answer) => types.type(answer, 'output'));
  return `DryRunOr<D, ${dry}, ${real}>`;
}

function answerType({ id }: Operation, schema: Schema, types: TypeWriter): string {
  const shared = types.type(schema, 'output');
  if (/^[A-Z]\w*$/.test(shared)) return shared;
  const name = `${pascalCase(id)}Answer`;
  types.declare(name, schema, 'output');
  return name;
}

function answerOf(operation: Operation, types: TypeWriter): string {
  const { answer } = operation;
  switch (answer.kind) {
    case 'empty':
      return 'Call<void>';
    case 'stream':
      return 'Call<Download>';
    case 'events': {
      const type = types.type(jsonSchemaOf(answer.schema, 'output'), 'output');
      return `AsyncGenerator<ServerEvent<${type}>, void, undefined>`;
    }
    case 'json':
    case 'json-text': {
      const schema = jsonSchemaOf(answer.schema, 'output');
      const type = answerType(operation, schema, types);
      const list = listOf(operation);
      return list === undefined
        ? `Call<${dryRunType(schema, types) ?? type}>`
        : `Listing<${type}, ${type}['${list}'][number]>`;
    }
  }
}

function methodOf(operation: Operation, types: TypeWriter, takes: 'body' | 'parts' | undefined): Method {
  const { group } = placeOf(operation);
  const { id, path, query } = operation;
  const parameters = paramsOf(path).map((name) => `${name}: ${isNumber(name) ? 'number' : 'string'}`);
  if (takes === 'body' && operation.body) {
    types.declare(`${pascalCase(id)}Input`, jsonSchemaOf(operation.body, 'input'), 'input');
    parameters.push(`body: ${pascalCase(id)}Input`);
  }
  if (takes === 'parts') parameters.push(`parts: ${partsSchema(operation, types)}`);
  if (query) {
    const schema = jsonSchemaOf(query, 'input');
    types.declare(`${pascalCase(id)}Query`, schema, 'input');
    parameters.push(`query${schema.required ? '' : '?'}: ${pascalCase(id)}Query`);
  }
  parameters.push(`options?: ${operation.creates === true ? 'CreateOptions' : 'CallOptions'}`);
  const type = answerOf(operation, types);
  const name = methodName(operation, takes);
  return {
    group,
    name,
    doc: docOf(operation),
    // The type of `dry_run` alone is generic: a generic body would take unknown keys.
    signature: type.includes('<D, ')
      ? `${name}<const D extends boolean = false>(${parameters
          .join(', ')
          .replace(/\b(?:body: \w+|parts: \{)/, (start) =>
            start.startsWith('body')
              ? `${start} & { readonly dry_run?: D }`
              : 'parts: { readonly dry_run?: D } & {',
          )}): ${type};`
      : `${name}(${parameters.join(', ')}): ${type};`,
  };
}

/** `waitFor` of a resource that runs. */
function waitMethodOf(
  operation: Operation,
  types: TypeWriter,
  all: readonly Operation[],
): Method | undefined {
  const { answer } = operation;
  if (!waitOf(operation, all) || !('schema' in answer)) return undefined;
  const type = types.type(jsonSchemaOf(answer.schema, 'output'), 'output');
  return {
    group: placeOf(operation).group,
    name: 'waitFor',
    doc: WAIT_DOC,
    signature: `waitFor(id: string | { readonly id: string }, options?: WaitOptions<${type}>): Promise<${type}>;`,
  };
}

/** Both forms of a prebuilt API take the same fields; the client sends them as JSON. */
function prebuiltApis(types: TypeWriter): { method: Method; text: string } {
  const entries = Object.values(API_OPERATIONS).map(({ api, post }) => {
    const input = `${pascalCase(post.id.slice('post'.length))}Input`;
    const answer = `${pascalCase(post.id.slice('post'.length))}Answer`;
    types.declare(input, jsonSchemaOf(post.body, 'input'), 'input');
    types.declare(answer, jsonSchemaOf(post.answer.schema, 'output'), 'output');
    return `${comment(api.description)}'${api.id}': { input: ${input}; answer: ${answer} };`;
  });
  const text = `/** What each prebuilt API takes and gives. */\nexport interface Apis {${indent(`\n${entries.join('\n')}`)}\n}`;
  return {
    text,
    method: {
      group: 'apis',
      name: 'call',
      doc: 'Call a prebuilt API by its id.\nCosts 1 credit.',
      signature:
        "call<I extends keyof Apis>(id: I, body: Apis[I]['input'], options?: CallOptions): Call<Apis[I]['answer']>;",
    },
  };
}

/** The input and the answer of an operation for `client.call`; undefined when it streams or takes only a form. */
function callOf(operation: Operation, types: TypeWriter): string | undefined {
  const { id, path, body, query, upload, answer } = operation;
  if (answer.kind === 'stream' || answer.kind === 'events' || (upload && !body)) return undefined;
  const params = paramsOf(path).map((name) => `${name}: ${isNumber(name) ? 'number' : 'string'}`);
  const parts = [
    ...(params.length === 0 ? [] : [`params: { ${params.join('; ')} }`]),
    ...(query ? [part('query', `${pascalCase(id)}Query`, jsonSchemaOf(query, 'input'))] : []),
    ...(body ? [part('body', `${pascalCase(id)}Input`, jsonSchemaOf(body, 'input'))] : []),
  ];
  const input = parts.length === 0 ? '{ [name: string]: never }' : `{ ${parts.join('; ')} }`;
  const type =
    answer.kind === 'empty' ? 'void' : answerType(operation, jsonSchemaOf(answer.schema, 'output'), types);
  return `${id}: { input: ${input}; answer: ${type} };`;
}

function part(name: string, type: string, schema: Schema): string {
  return `${name}${schema.type === 'object' && !schema.required ? '?' : ''}: ${type}`;
}

const GENERATED =
  '// Generated from the operation table of @gleaner/contracts by `npm run docs`; in no commit.';

const HEADER = `${GENERATED}
import type { Call, DryRunOr } from '../call.ts';
import type { Download } from '../download.ts';
import type { FileInput } from '../multipart.ts';
import type { Listing } from '../listing.ts';
import type { CallOptions, CreateOptions } from '../route.ts';
import type { ServerEvent } from '../server-events.ts';
import type { WaitOptions } from '../wait-for.ts';
`;

/** packages/client/src/generated/operations.ts, whole: the types of every operation. */
export function clientTypesFile(): string {
  const types = createServiceTypes(TYPESCRIPT);
  const operations = OPERATIONS;
  const apis = prebuiltApis(types);
  const own = listMethods(
    operations,
    (operation, takes) => methodOf(operation, types, takes),
    (operation) => waitMethodOf(operation, types, operations),
  );
  const groups = groupMethods([...own, apis.method]);
  const methods = groups.map(([group, members]) => {
    const lines = members.map(({ doc, signature }) => `${comment(doc)}${signature}`);
    return `${group}: {${indent(`\n${lines.join('\n')}`)}\n};`;
  });
  const calls = operations.flatMap((operation) => callOf(operation, types) ?? []);
  const errors = [...new Set(Object.values(ERRORS).map(({ text }) => `'${text}'`))];
  const events = WEBHOOK_EVENTS.map((event) => `'${event}'`);
  return `${HEADER}
/** Stable texts of the service's errors: docs/use/errors.md. */
export type ErrorText = ${errors.join(' | ')};

export type WebhookEventType = ${events.join(' | ')};

${types.declarations()}

${apis.text}

/** Every operation, by resource. */
export interface Methods {${indent(`\n${methods.join('\n')}`)}
}

/** What \`client.call\` takes and gives for each operation. */
export interface Operations {${indent(`\n${calls.toSorted().join('\n')}`)}
}
`;
}
