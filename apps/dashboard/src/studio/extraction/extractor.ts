import type { Ask, Example, KeptPage, Outcome, PageData, Reply, Suggested } from './protocol.ts';

/** A schema or page can keep the engine busy for ever; then the thread is replaced. */
const LIMIT_MS = 10_000;

interface Waiting {
  resolve: (reply: Reply) => void;
  reject: (error: Error) => void;
  timer: ReturnType<typeof setTimeout>;
}

/** The engine in a thread of the browser. One extraction runs at a time; of those that wait, only the last counts. */
export interface Extractor {
  keep: (page: KeptPage) => void;
  drop: (pageId: string) => void;
  /** Undefined when a later call replaced it. */
  extract: (schema: unknown) => Promise<Outcome | undefined>;
  readData: (pageId: string, scripts: string[]) => Promise<PageData>;
  /** Fields that the engine proposes for kept pages; without examples from what repeats. */
  suggest: (from: readonly KeptPage[], examples: Example[]) => Promise<Suggested>;
  close: () => void;
}

export function createExtractor(): Extractor {
  const pages = new Map<string, KeptPage>();
  const waiting = new Map<number, Waiting>();
  let nextSeq = 1;
  let worker = start();
  let running: Promise<unknown> = Promise.resolve();
  let latest = 0;

  function start(): Worker {
    const made = new Worker(new URL('extract.worker.ts', import.meta.url), { type: 'module' });
    made.addEventListener('message', ({ data }: MessageEvent<Reply>) => {
      const entry = waiting.get(data.seq);
      if (!entry) return;
      waiting.delete(data.seq);
      clearTimeout(entry.timer);
      if (data.kind === 'fault') entry.reject(new Error(data.message));
      else entry.resolve(data);
    });
    for (const page of pages.values()) made.postMessage({ kind: 'keep', page } satisfies Ask);
    return made;
  }

  function restart(): void {
    worker.terminate();
    for (const { reject, timer } of waiting.values()) {
      clearTimeout(timer);
      reject(new Error(`the extraction took longer than ${LIMIT_MS / 1000} s and was ended`));
    }
    waiting.clear();
    worker = start();
  }

  function keep(page: KeptPage): void {
    if (pages.has(page.id)) return;
    pages.set(page.id, page);
    worker.postMessage({ kind: 'keep', page } satisfies Ask);
  }

  function ask(make: (seq: number) => Ask): Promise<Reply> {
    const seq = nextSeq++;
    return new Promise((resolve, reject) => {
      waiting.set(seq, { resolve, reject, timer: setTimeout(restart, LIMIT_MS) });
      worker.postMessage(make(seq));
    });
  }

  return {
    keep,
    drop: (pageId) => {
      pages.delete(pageId);
      worker.postMessage({ kind: 'drop', pageId } satisfies Ask);
    },
    extract: async (schema) => {
      const mine = ++latest;
      await running.catch(() => undefined);
      if (mine !== latest) return undefined;
      const work = ask((seq) => ({ kind: 'extract', seq, schema }));
      running = work;
      const reply = await work;
      return reply.kind === 'extracted' && mine === latest ? reply.outcome : undefined;
    },
    readData: async (pageId, scripts) => {
      const reply = await ask((seq) => ({ kind: 'data', seq, pageId, scripts }));
      if (reply.kind !== 'data') throw new Error('the thread gave another answer');
      return reply.data;
    },
    suggest: async (from, examples) => {
      from.forEach(keep);
      const reply = await ask((seq) => ({ kind: 'suggest', seq, examples }));
      if (reply.kind !== 'suggested') throw new Error('the thread gave another answer');
      return reply.suggested;
    },
    close: () => {
      for (const { timer } of waiting.values()) clearTimeout(timer);
      worker.terminate();
    },
  };
}

/**
 * Fields that the engine proposes for pages; without examples from repeated elements. It runs in its own thread,
 * because a large page takes seconds, and values must still appear at once meanwhile.
 */
export async function suggestFields(
  pages: readonly KeptPage[],
  examples: Example[],
  signal?: AbortSignal,
): Promise<Suggested> {
  const own = createExtractor();
  signal?.addEventListener('abort', own.close);
  try {
    return await own.suggest(pages, examples);
  } finally {
    own.close();
  }
}
