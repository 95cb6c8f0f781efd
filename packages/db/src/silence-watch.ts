import { setImmediate } from 'node:timers/promises';
import { withTimeout } from '@gleaner/contracts';

/** Longer than a statement may run: one that still waits for its turn then waits for a connection that is dead. */
const LONGEST_MS = 90_000;
const TURNS_TO_READ = 30;

export interface SilenceWatchOptions {
  /** Asks over the connections that are watched. They may all be busy with long statements. */
  ask: () => PromiseLike<unknown>;
  /** Asks over a connection of its own. It may wait longer than the patience. */
  probe: () => PromiseLike<unknown>;
  /** The server doesn't answer: ends the statements that wait for it. */
  end: () => void;
  /** How long a server may be silent. */
  patienceMs: number;
}

/** Asks a server, and waits for so long. A refusal is an answer too. */
async function isAnswered(question: PromiseLike<unknown>, withinMs: number): Promise<boolean> {
  const answered = Promise.resolve(question).then(
    () => true,
    () => true,
  );
  let outcome = await withTimeout(answered, withinMs, () => false);
  // A starved loop runs timers before it reads what came meanwhile, so it gets turns to read: more than a connection takes.
  for (let turn = 0; !outcome && turn < TURNS_TO_READ; turn += 1) {
    outcome = await Promise.race([answered, setImmediate(false)]);
  }
  return outcome;
}

export interface SilenceWatch {
  /** Call it with each statement: it fails within three times the patience when the server is silent. */
  noteSent(): void;
  /** Call it with each answer, an error included. */
  noteAnswer(): void;
}

/**
 * Finds out that a server which takes connections does not answer any more: its processes stand still, or the network drops
 * their packets. Nothing else ends the wait for it then. It asks only when statements were sent and none was answered for a
 * while.
 */
export function createSilenceWatch(options: SilenceWatchOptions): SilenceWatch {
  const { patienceMs } = options;
  let isWatching = false;
  let hasAnswered = false;
  const look = async (): Promise<void> => {
    const until = performance.now() + LONGEST_MS;
    const question = options.ask();
    while (!(await isAnswered(question, patienceMs * 0.4))) {
      if (performance.now() < until && (await isAnswered(options.probe(), patienceMs))) continue;
      options.end();
      return;
    }
  };
  const watch = (): void => {
    hasAnswered = false;
    setTimeout(() => {
      // A statement that was sent meanwhile may still wait.
      if (hasAnswered) return watch();
      void look().finally(() => {
        isWatching = false;
      });
    }, patienceMs * 0.6).unref();
  };
  return {
    noteSent: () => {
      if (isWatching) return;
      isWatching = true;
      watch();
    },
    noteAnswer: () => {
      hasAnswered = true;
    },
  };
}
