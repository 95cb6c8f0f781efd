import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres, type EmbeddedPostgres } from '@gleaner/embedded-postgres';
import type { LogSink } from './supervisor/log-sink.ts';

const LEAST_WAIT_MS = 250;
const MOST_WAIT_MS = 30_000;

/** Postgres's log lines of a normal start or stop; they are not shown. */
const ROUTINE =
  /^(LOG: +(starting PostgreSQL|listening on|database system (was shut down|is (ready|shut down))|received fast|aborting any|background worker|shutting down|checkpoint)|$)/;

export type SupervisedPostgres = Awaited<ReturnType<typeof supervisePostgres>>;

/** Starts the data folder's Postgres and keeps it running. @throws Fault when the first start fails */
export async function supervisePostgres({ dataDir, log }: { dataDir: string; log: LogSink }) {
  const stopping = new AbortController();
  let pidListener: (pid: number | undefined) => void = () => undefined;
  let moveListener: (url: string) => void = () => undefined;
  const start = (): Promise<EmbeddedPostgres> =>
    startPostgres({
      dataDir,
      durable: true,
      log: (line) => {
        if (!ROUTINE.test(line)) log.line('postgres', line);
      },
    });
  const note = (server: EmbeddedPostgres): void =>
    log.note('info', 'process started', { child: 'postgres', pid: server.pid, port: server.port });

  let server = await start();
  note(server);
  const watch = async (): Promise<void> => {
    let waitMs = LEAST_WAIT_MS;
    while (!stopping.signal.aborted) {
      const since = Date.now();
      await server.ended;
      pidListener(undefined);
      if (stopping.signal.aborted) return;
      waitMs = Date.now() - since > 60_000 ? LEAST_WAIT_MS : Math.min(MOST_WAIT_MS, waitMs * 2);
      log.note('error', 'process ended; restarting it', { child: 'postgres', in_ms: waitMs });
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (!stopping.signal.aborted) await startAgain();
    }
    await server.stop();
  };
  const startAgain = async (): Promise<void> => {
    const { url } = server;
    try {
      server = await start();
    } catch (error) {
      log.note('error', 'Postgres did not start', { reason: String(error) });
      return;
    }
    note(server);
    pidListener(server.pid);
    if (server.url !== url) moveListener(server.url);
  };
  const watching = watch();
  return {
    url: (): string => server.url,
    /** Calls the listener now and at every change. */
    onPid: (listener: typeof pidListener): void => {
      pidListener = listener;
      listener(server.pid);
    },
    /** Calls the listener when the server restarted on another port. */
    onMove: (listener: typeof moveListener): void => {
      moveListener = listener;
    },
    stop: async (withinMs: number): Promise<void> => {
      stopping.abort();
      await server.stop(withinMs);
      await watching;
    },
  };
}
