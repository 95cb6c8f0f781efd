import type { WaitOptions } from '@gleaner/client';
import { createProgressView, type Progress } from '../../terminal/progress.ts';
import { untilInterrupted } from '../../terminal/interrupt.ts';

/** The causes of failures are read again this often while a run works. */
const CAUSES_EVERY_MS = 3_000;
/** A bar moves this often also when no count changes, so that rate and time left stay true. */
const REDRAW_MS = 1_000;

/** The fields that batches and workflow runs share. */
interface Run {
  counts: {
    total: number;
    succeeded: number;
    failed: number;
    cancelled: number;
    waiting_for_sink: number;
  };
}

interface RunSource<R extends Run> {
  id: string;
  /** `batch` or `workflow run`. */
  what: string;
  waitFor(options: WaitOptions<R>): Promise<R>;
  /** The failures so far by cause; absent where the service does not count them. */
  readCauses?: (signal: AbortSignal) => Promise<Progress['causes']>;
  /** Why the run makes no progress, if its record has a reason. */
  remarkOf?: (record: R) => string | undefined;
}

/**
 * Follows a run to its end with a progress bar on standard error. Ctrl-C leaves it running and prints how to resume.
 * @param options `comeBack`: the command that follows the run again
 * @throws ExitCode 130 after Ctrl-C
 */
export function watchRun<R extends Run>(
  source: RunSource<R>,
  { isQuiet, comeBack }: { isQuiet: boolean; comeBack: string },
): Promise<R> {
  const remark = `The ${source.what} ${source.id} continues. Follow it again with:\n  ${comeBack}`;
  return untilInterrupted(remark, (signal) => follow(source, isQuiet, signal));
}

async function follow<R extends Run>(
  source: RunSource<R>,
  isQuiet: boolean,
  signal: AbortSignal,
): Promise<R> {
  const view = isQuiet ? undefined : createProgressView(source.id);
  let run: R | undefined;
  let trouble: string | undefined;
  let causes: Progress['causes'] = [];
  let readAt = -Infinity;
  let readFor = 0;
  const readCauses = async (): Promise<void> => {
    const failed = run?.counts.failed ?? 0;
    if (!source.readCauses || failed === readFor || performance.now() - readAt < CAUSES_EVERY_MS) return;
    readAt = performance.now();
    readFor = failed;
    try {
      causes = await source.readCauses(signal);
    } catch {
      // The bar does without them. waitFor reports what keeps failing.
    }
  };
  const draw = (): void => {
    if (!run) return;
    const { total, succeeded, failed, cancelled, waiting_for_sink: waiting } = run.counts;
    const ofSink = waiting > 0 ? `${waiting} wait for the database` : undefined;
    const remark = trouble ?? source.remarkOf?.(run) ?? ofSink;
    view?.update({ done: succeeded + failed + cancelled, total, failed, causes, remark });
  };
  const ticker = setInterval(() => {
    void readCauses().then(draw);
  }, REDRAW_MS);
  try {
    const ended = await source.waitFor({
      signal,
      onProgress: (record) => {
        run = record;
        trouble = undefined;
        draw();
      },
      onTrouble: (error) => {
        // A run that was never seen may not exist; one that was is waited for.
        if (!run) throw error;
        trouble = `the service gives no answer: ${error.code}`;
        draw();
      },
    });
    clearInterval(ticker);
    readAt = -Infinity;
    await readCauses();
    draw();
    return ended;
  } finally {
    clearInterval(ticker);
    view?.end();
  }
}
