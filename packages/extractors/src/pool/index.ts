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

export declare function createExtractionPool(options: {
  threads: number;
  timeoutMs?: number;
}): ExtractionPool;
