import type { ParserSchema } from '@gleaner/contracts';
import type { Extraction, Page } from '../index.ts';

export interface PoolRequest {
  parserKey: string;
  schema: ParserSchema;
  page: Page;
  explain?: boolean;
  signal?: AbortSignal;
}

export interface ExtractionPool {
  extract(request: PoolRequest): Promise<Extraction>;
  close(): Promise<void>;
}

// Until the engine lands.
export const createExtractionPool = (_options: { threads: number; timeoutMs?: number }): ExtractionPool => ({
  extract: async ({ page }) => ({ ok: true, data: { size: page.body.length }, fields: [] }),
  close: async () => undefined,
});
