import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { setTimeout as delay } from 'node:timers/promises';
import type { AddedTool } from '../../build-server.ts';

/** One red pixel. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** A WAV file without samples. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

type Content = CallToolResult['content'];

export function text(value: string): Content[number] {
  return { type: 'text', text: value };
}

/** A tool of the suite; its name is its description. */
export function tool(
  name: string,
  call: AddedTool['call'],
  properties: Record<string, unknown> = {},
): [string, AddedTool] {
  const inputSchema = { type: 'object' as const, properties, required: Object.keys(properties) };
  return [name, { describe: () => ({ name, description: `Fixture ${name}.`, inputSchema }), call }];
}

function plain(name: string, ...content: Content): [string, AddedTool] {
  return tool(name, async () => ({ content }));
}

async function report({ mcpReq }: ServerContext, progress: number): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
}

/** Keywords of JSON Schema 2020-12 that a server has to pass on as they are. */
const KEYWORDS = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' };

/** Tools that answer with each kind of content, log and report progress. */
export const contentTools: readonly [string, AddedTool][] = [
  plain('test_simple_text', text('This is a simple text response for testing.')),
  plain('test_image_content', image),
  plain('test_audio_content', { type: 'audio', data: WAV, mimeType: 'audio/wav' }),
  plain('test_embedded_resource', {
    type: 'resource',
    resource: {
      uri: 'test://embedded-resource',
      mimeType: 'text/plain',
      text: 'This is an embedded resource content.',
    },
  }),
  plain('test_multiple_content_types', text('Multiple content types test:'), image, {
    type: 'resource',
    resource: {
      uri: 'test://mixed-content-resource',
      mimeType: 'application/json',
      text: JSON.stringify({ test: 'data', value: 123 }),
    },
  }),
  tool('test_error_handling', async () => ({
    isError: true,
    content: [text('This tool intentionally returns an error for testing')],
  })),
  tool('test_tool_with_progress', async (_args, context) => {
    await report(context, 0);
    await delay(50);
    await report(context, 50);
    await delay(50);
    await report(context, 100);
    return { content: [text('It reported its progress.')] };
  }),
  tool('test_tool_with_logging', async (_args, { mcpReq }) => {
    await mcpReq.log('info', 'Tool execution started');
    await delay(50);
    await mcpReq.log('info', 'Tool processing data');
    await delay(50);
    await mcpReq.log('info', 'Tool execution completed');
    return { content: [text('It logged three messages.')] };
  }),
  tool('test_logging_tool', async (_args, { mcpReq }) => {
    await mcpReq.log('info', 'A message at level info');
    return { content: [text('It logged one message.')] };
  }),
  [
    'json_schema_2020_12_tool',
    {
      describe: () => ({
        name: 'json_schema_2020_12_tool',
        description: 'Its input uses JSON Schema 2020-12.',
        inputSchema: KEYWORDS,
      }),
      call: async (args) => ({ content: [text(JSON.stringify(args))] }),
    },
  ],
];
