import { createMetrics, openTracer, type Config } from '@gleaner/core';
import { openTestDoor } from '@gleaner/core/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { buildServer } from '../../server.ts';
import type { ApiServices } from '../../services.ts';

export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

export interface TestMcp {
  services: ApiServices;
  url: string;
  /** A client of the official library that speaks this revision. */
  connect(apiKey: string, options?: { revision?: Revision; query?: string }): Promise<Client>;
  close(): Promise<void>;
}

/** The API with its MCP door, on its own port and database. @param config settings that differ from the default */
export async function openTestMcp(config: Partial<Config> = {}): Promise<TestMcp> {
  const door = await openTestDoor();
  const tracer = await openTracer({ endpoint: undefined, service: 'test' });
  const services: ApiServices = {
    ...door.services,
    config: { ...door.services.config, ...config },
    metrics: createMetrics('api'),
    tracer,
  };
  const app = await buildServer(services);
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/mcp`;
  const clients: Client[] = [];
  return {
    services,
    url,
    connect: async (apiKey, { revision = '2025-11-25', query = '' } = {}) => {
      const client = new Client(
        { name: 'test', version: '1' },
        revision === '2025-11-25' ? {} : { versionNegotiation: { mode: { pin: revision } } },
      );
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${url}${query}`), {
          requestInit: { headers: { authorization: `Bearer ${apiKey}` } },
        }),
      );
      clients.push(client);
      return client;
    },
    close: async () => {
      for (const client of clients) await client.close();
      await app.close();
      await door.close();
    },
  };
}
