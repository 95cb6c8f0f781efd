import type { Client } from '../../test/system/start-system.ts';
import type { BenchWorld } from './bench-world.ts';
import { SCHEMA } from './page.ts';

export interface Tenant {
  client: Client;
  parserId: string;
}

/** An account with a parser. */
export async function openTenant(world: BenchWorld, concurrency = 10): Promise<Tenant> {
  const client = await world.system.client({ credits: 10_000_000, concurrency });
  const parser = await client.call('POST', '/v1/parsers', { name: 'bench', schema: SCHEMA });
  return { client, parserId: (parser.json as { id: string }).id };
}
