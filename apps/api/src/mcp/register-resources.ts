import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
  type McpServer,
} from '@modelcontextprotocol/server';
import { toCallFailure, type CallInput } from '@gleaner/core';
import type { ApiServices } from '../services.ts';
import { withCall, type McpClient } from './mcp-client.ts';
import { entryOf } from './tools.ts';

const JSON_TYPE = 'application/json';

/** Resources that an agent reads without a tool: the schema language, the catalogue, and parsers. */
export function registerResources(mcp: McpServer, services: ApiServices, client: McpClient): void {
  const read = async (uri: URL, id: string, input: CallInput, signal: AbortSignal) => {
    try {
      return await withCall(services, client, { entry: entryOf(id), signal }, async (call) => {
        const { answer } = await call.run(input);
        if (answer.kind !== 'json') throw new Error(`a resource cannot be ${answer.kind}`);
        return { contents: [{ uri: uri.href, mimeType: JSON_TYPE, text: JSON.stringify(answer.value) }] };
      });
    } catch (error) {
      const failure = toCallFailure(error, { log: services.log, requestId: client.requestId, signal });
      throw new ProtocolError(
        failure.status < 500 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
        failure.message,
        { uri: uri.href },
      );
    }
  };
  mcp.registerResource(
    'schema-language',
    'gleaner://schemas/parser',
    { title: 'Schema language', description: 'JSON Schema of extraction schemas.', mimeType: JSON_TYPE },
    (uri, { mcpReq }) => read(uri, 'getParserLanguage', {}, mcpReq.signal),
  );
  mcp.registerResource(
    'catalogue',
    'gleaner://apis',
    { title: 'Prebuilt APIs', description: 'The catalogue of prebuilt APIs.', mimeType: JSON_TYPE },
    (uri, { mcpReq }) => read(uri, 'listApis', {}, mcpReq.signal),
  );
  mcp.registerResource(
    'api',
    new ResourceTemplate('gleaner://apis/{id}', { list: undefined }),
    { title: 'A prebuilt API', description: 'Schemas, price and example of one.', mimeType: JSON_TYPE },
    (uri, { id }, { mcpReq }) => read(uri, 'getApi', { params: { id } }, mcpReq.signal),
  );
  mcp.registerResource(
    'parser',
    new ResourceTemplate('gleaner://parsers/{id}', { list: undefined }),
    { title: 'A parser', description: 'A saved parser with its schema.', mimeType: JSON_TYPE },
    (uri, { id }, { mcpReq }) => read(uri, 'getParser', { params: { id } }, mcpReq.signal),
  );
}
