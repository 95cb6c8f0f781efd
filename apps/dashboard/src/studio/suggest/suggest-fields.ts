import { createExtractor } from '../extraction/extractor.ts';
import type { KeptPage, Suggested } from '../extraction/protocol.ts';

/**
 * Fields that the engine proposes for a page; without examples from repeated elements. It runs in its own thread,
 * because a large page takes seconds, and values must still appear at once meanwhile.
 */
export async function suggestFields(
  page: KeptPage,
  { examples, signal }: { examples?: Readonly<Record<string, string>>; signal?: AbortSignal },
): Promise<Suggested> {
  const engine = createExtractor();
  signal?.addEventListener('abort', engine.close);
  try {
    return await engine.ask('suggest', page, examples);
  } finally {
    engine.close();
  }
}
