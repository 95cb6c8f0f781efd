import type { Ask, Engine, Reply } from './extract.worker.ts';
import type { Example, KeptPage, Outcome, PageData, Suggested } from './protocol.ts';

/** A schema or page can keep the engine busy for ever; then the thread is replaced. */
const LIMIT_MS = 10_000;
/** Loading the engine takes seconds on a slow network or a busy machine, and doesn't count against a call. */
const LOADING_MS = 120_000;

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  timer: ReturnType<typeof setTimeout>;
}

/** A thread of the browser with the engine in it. */
interface EngineThread {
  /** Calls a function whose value nobody needs. */
  send: <N extends keyof Engine>(name: N, ...args: Parameters<Engine[N]>) => void;
  ask: <N extends keyof Engine>(name: N, ...args: Parameters<Engine[N]>) => Promise<ReturnType<Engine[N]>>;
  close: () => void;
}

/** @param pages what the thread keeps, also when it is replaced */
function startEngine(pages: ReadonlyMap<string, KeptPage>): EngineThread {
  const waiting = new Map<number, Waiting>();
  let nextSeq = 1;
  let isLoaded = false;
  let worker = start();

  function start(): Worker {
    const made = new Worker(new URL('extract.worker.ts', import.meta.url), { type: 'module' });
    isLoaded = false;
    made.addEventListener('error', () => failAll('the extraction engine could not be loaded'));
    made.addEventListener('message', ({ data }: MessageEvent<Reply>) => {
      if (data === 'loaded') {
        isLoaded = true;
        for (const entry of waiting.values()) {
          clearTimeout(entry.timer);
          entry.timer = limit();
        }
        return;
      }
      const entry = waiting.get(data.seq);
      if (!entry) return;
      waiting.delete(data.seq);
      clearTimeout(entry.timer);
      if ('fault' in data) entry.reject(new Error(data.fault));
      else entry.resolve(data.value);
    });
    for (const page of pages.values()) post(made, 'keep', [page]);
    return made;
  }

  function post<N extends keyof Engine>(to: Worker, name: N, args: Parameters<Engine[N]>): number {
    const seq = nextSeq++;
    to.postMessage({ seq, name, args } satisfies Ask);
    return seq;
  }

  function failAll(why: string): void {
    for (const { reject, timer } of waiting.values()) {
      clearTimeout(timer);
      reject(new Error(why));
    }
    waiting.clear();
  }

  function limit(): Waiting['timer'] {
    const ms = isLoaded ? LIMIT_MS : LOADING_MS;
    return setTimeout(() => {
      worker.terminate();
      failAll(`the extraction took longer than ${ms / 1000} s and was ended`);
      worker = start();
    }, ms);
  }

  return {
    send: (name, ...args) => void post(worker, name, args),
    ask: (name, ...args) =>
      new Promise((resolve, reject) => {
        // The thread answers with what its function returns.
        const settle = resolve as (value: unknown) => void;
        const entry = { resolve: settle, reject, timer: limit() };
        waiting.set(post(worker, name, args), entry);
      }),
    close: () => {
      for (const { timer } of waiting.values()) clearTimeout(timer);
      worker.terminate();
    },
  };
}

/** The engine for the page at hand. One extraction runs at a time; of those that wait, only the last counts. */
export interface Extractor {
  keep: (page: KeptPage) => void;
  drop: (pageId: string) => void;
  /** Undefined when a later call replaced it. */
  extract: (schema: unknown) => Promise<Outcome | undefined>;
  readData: (pageId: string, scripts: string[]) => Promise<PageData>;
  close: () => void;
}

export function createExtractor(): Extractor {
  const pages = new Map<string, KeptPage>();
  const engine = startEngine(pages);
  let running: Promise<unknown> = Promise.resolve();
  let latest = 0;
  return {
    keep: (page) => {
      if (pages.has(page.id)) return;
      pages.set(page.id, page);
      engine.send('keep', page);
    },
    drop: (pageId) => {
      pages.delete(pageId);
      engine.send('drop', pageId);
    },
    extract: async (schema) => {
      const mine = ++latest;
      await running.catch(() => undefined);
      if (mine !== latest) return undefined;
      const work = engine.ask('extract', schema);
      running = work;
      const outcome = await work;
      return mine === latest ? outcome : undefined;
    },
    readData: (pageId, scripts) => engine.ask('readData', pageId, scripts),
    close: engine.close,
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
  const engine = startEngine(new Map(pages.map((page) => [page.id, page])));
  signal?.addEventListener('abort', engine.close);
  try {
    return await engine.ask('suggest', examples);
  } finally {
    engine.close();
  }
}
