import {
  isInitializeRequest,
  WebStandardStreamableHTTPServerTransport,
  type LegacyHttpHandler,
  type McpServerFactory,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import type { McpAddition } from '../../build-server.ts';
import { contentTools, text, tool } from './content-tools.ts';
import { inputTools, stateCodec } from './input-tools.ts';
import { registerPrompts, registerTestResources } from './prompts.ts';

/** The tools, resources and prompts that the official suite expects of a server under test. */
export function conformanceFixtures(bus: ServerEventBus): McpAddition {
  return {
    tools: new Map([
      ...contentTools,
      ...inputTools,
      tool('test_trigger_tool_change', async () => {
        bus.publish({ kind: 'tools_list_changed' });
        return { content: [text('changed')] };
      }),
      tool('test_trigger_prompt_change', async () => {
        bus.publish({ kind: 'prompts_list_changed' });
        return { content: [text('changed')] };
      }),
    ]),
    options: {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
      },
      requestState: { verify: stateCodec.verify },
    },
    extend: (mcp) => {
      registerPrompts(mcp);
      registerTestResources(mcp);
      mcp.server.setRequestHandler('resources/subscribe', () => ({}));
      mcp.server.setRequestHandler('resources/unsubscribe', () => ({}));
    },
  };
}

/**
 * Serves the revisions of 2025 with sessions, by which a tool can ask its client in the middle of a call. The product
 * serves without sessions, and none of its tools asks.
 */
export function createSessions(): (factory: McpServerFactory) => LegacyHttpHandler {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return (factory) => async (request, options) => {
    const id = request.headers.get('mcp-session-id');
    const known = id === null ? undefined : sessions.get(id);
    if (known) return known.handleRequest(request, options);
    if (!isInitializeRequest(options?.parsedBody)) return new Response('no such session', { status: 404 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => {
        sessions.set(session, transport);
      },
    });
    const server = await factory({ era: 'legacy' });
    await server.connect(transport);
    return transport.handleRequest(request, options);
  };
}
