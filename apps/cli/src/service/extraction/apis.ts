import type { Command } from 'commander';
import { note, printFields, printJson, printRows } from '../../terminal/output.ts';
import { connect, connectPublic, type ServiceFlags } from '../connection/connect.ts';
import { serviceCommand } from '../connection/service-command.ts';
import { readParameters } from '../inputs/read-words.ts';
import { noteCredits } from './parse.ts';

function propertiesOf(
  schema: Record<string, unknown>,
): Record<string, { type?: unknown; description?: string }> {
  // JSON Schema of an object, as the service wrote it.
  return (schema['properties'] ?? {}) as Record<string, { type?: unknown; description?: string }>;
}

async function show(id: string, flags: ServiceFlags): Promise<void> {
  const api = await connectPublic(flags).apis.get(id);
  if (flags.json === true) return printJson(api);
  const { name, description, path, credits, input_schema, example } = api;
  printFields({ id: api.id, name, description, path, credits });
  const required = (input_schema['required'] ?? []) as string[];
  printRows(
    Object.entries(propertiesOf(input_schema)).map(([parameter, schema]) => ({
      parameter,
      type: schema.type,
      required: required.includes(parameter) ? 'yes' : 'no',
      description: schema.description,
    })),
  );
  const words = Object.entries(example.request.query).map(([key, value]) => `'${key}=${String(value)}'`);
  note(`gleaner apis call ${api.id} ${words.join(' ')}`);
}

async function call(id: string, words: string[], flags: ServiceFlags): Promise<void> {
  const client = connect(flags);
  const { id: apiId, input_schema } = await connectPublic(flags).apis.get(id);
  const schemas = propertiesOf(input_schema);
  const input = await readParameters(words, (name) => schemas[name]?.type === 'string');
  const answer = await client.apis.call(apiId, input).answer();
  printJson(answer.data);
  noteCredits(answer);
}

export function registerApis(program: Command): void {
  const apis = program.command('apis').description('prebuilt APIs of five sites');
  serviceCommand(apis, 'list', 'the prebuilt APIs', ['apis list']).action(async (flags: ServiceFlags) => {
    const answer = await connectPublic(flags).apis.list();
    if (flags.json === true) return printJson(answer);
    printRows(answer.apis.map(({ id, name, credits, description }) => ({ id, name, credits, description })));
  });
  serviceCommand(apis, 'get', 'parameters, price and example of one API', [
    'apis get photoapp-profile',
    "apis get photoapp-profile --json | jq '.output_schema'",
  ])
    .argument('<api>', 'identifier')
    .action(show);
  serviceCommand(apis, 'call', 'call a prebuilt API and print its answer as JSON', [
    'apis call photoapp-profile username=nasa',
    `apis call videosite-search '{"query": "owls"}'`,
  ])
    .argument('<api>', 'identifier')
    .argument('[parameters...]', 'name=value each, one JSON object, or - for JSON on standard input')
    .action(call);
}
