import type { Ask, Engine, Reply } from './extract.worker.ts';
import type { KeptPage, Outcome } from './protocol.ts';

/** A schema or page can keep the engine busy for ever; then the thread is replaced. */
const LIMIT_MS = 10_000;

/** A thread of the browser with the engine in it. */
interface Thread {
  worker: Worker;
  /** Loading the engine takes seconds on a slow network or a busy machine, and doesn't count against a call. */
  loaded: Promise<void>;
  /** The pages that it has. */
  ids: ReadonlySet<string>;
}

function startThread(): Thread {
  const worker = new Worker(new URL('extract.worker.ts', import.meta.url), { type: 'module' });
  const loaded = new Promise<void>((resolve, reject) => {
    worker.addEventListener('message', () => resolve());
    worker.addEventListener('error', () => reject(new Error('the extraction engine could not be loaded')));
  });
  // Whoever asks for something hears of it.
  loaded.catch(() => undefined);
  return { worker, loaded, ids: new Set() };
}

/** The engine for the pages at hand, in a thread of its own. */
export function createExtractor() {
  let pages: readonly KeptPage[] = [];
  let thread: Thread | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let latest = 0;

  function close(): void {
    thread?.worker.terminate();
    thread = undefined;
  }

  /** The thread, with the pages of now in it. */
  function current(): Thread {
    thread ??= startThread();
    const { worker, ids } = thread;
    thread.ids = new Set(pages.map(({ id }) => id));
    const added = pages.filter(({ id }) => !ids.has(id));
    worker.postMessage({ name: 'keep', args: [added, thread.ids] } satisfies Ask);
    return thread;
  }

  async function ask<N extends keyof Engine>(name: N, ...args: Parameters<Engine[N]>) {
    const asked = current();
    await asked.loaded;
    return new Promise<ReturnType<Engine[N]>>((resolve, reject) => {
      const { port1: here, port2: there } = new MessageChannel();
      const timer = setTimeout(() => {
        if (thread === asked) close();
        reject(new Error(`the extraction took longer than ${LIMIT_MS / 1000} s and was ended`));
      }, LIMIT_MS);
      here.addEventListener('message', ({ data }: MessageEvent<Reply>) => {
        clearTimeout(timer);
        here.close();
        if ('fault' in data) reject(new Error(data.fault));
        // The thread answers with what its function returns.
        else resolve(data.value as ReturnType<Engine[N]>);
      });
      here.start();
      asked.worker.postMessage({ name, args } satisfies Ask, [there]);
    });
  }

  return {
    ask,
    close,
    /** The pages that are read from now on. */
    keep: (shown: readonly KeptPage[]): void => {
      pages = shown;
      current();
    },
    /** One runs at a time; of those that wait, only the last counts. Undefined when a later call replaced it. */
    extract: async (schema: unknown): Promise<Outcome | undefined> => {
      const mine = ++latest;
      await running.catch(() => undefined);
      if (mine !== latest) return undefined;
      running = ask('extract', schema);
      const outcome = await running;
      return mine === latest ? (outcome as Outcome) : undefined;
    },
  };
}
