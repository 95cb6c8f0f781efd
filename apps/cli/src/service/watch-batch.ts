import type { Batch, Client } from '@gleaner/client';
import { ExitCode, EXIT } from '../exit-codes.ts';
import { note } from '../terminal/output.ts';
import { createProgressView, type Progress } from '../terminal/progress.ts';
import { onInterrupt } from './interrupt.ts';

/** The causes of failures are read again this often while a batch runs. */
const CAUSES_EVERY_MS = 3_000;
/** A bar moves this often also when no count changes, so that rate and time left stay true. */
const REDRAW_MS = 1_000;

interface WatchOptions {
  isQuiet: boolean;
  /** The command that follows the batch again. */
  comeBack: string;
}

/** Why a batch stands still, as far as its record says. */
function remarkOf({ counts }: Batch): string | undefined {
  if (counts.waiting_for_sink > 0) return `${counts.waiting_for_sink} wait for the database`;
  return undefined;
}

/**
 * Follows a batch to its end with a progress bar on standard error. Ctrl-C leaves the batch running and says how to
 * come back.
 * @throws ExitCode 130 after Ctrl-C
 */
export async function watchBatch(client: Client, id: string, options: WatchOptions): Promise<Batch> {
  const stopping = new AbortController();
  const interrupt = onInterrupt(() => stopping.abort());
  const view = options.isQuiet ? undefined : createProgressView(id, process.stderr);
  let batch: Batch | undefined;
  let causes: Progress['causes'] = [];
  let readAt = -Infinity;
  let readFor = 0;
  const readCauses = async (): Promise<void> => {
    const failed = batch?.counts.failed ?? 0;
    if (failed === readFor) return;
    if (performance.now() - readAt < CAUSES_EVERY_MS) return;
    readAt = performance.now();
    readFor = failed;
    try {
      const page = await client.batches.failures(id, { limit: 1 }, { signal: stopping.signal, retries: 0 });
      causes = page.causes ?? [];
    } catch {
      // The bar does without them. waitFor reports what keeps failing.
    }
  };
  const draw = (): void => {
    if (!batch || !view) return;
    const { total, succeeded, failed, cancelled } = batch.counts;
    const done = succeeded + failed + cancelled;
    view.update({ done, total, failed, causes, remark: remarkOf(batch) });
  };
  const ticker = setInterval(() => {
    void readCauses().then(draw);
  }, REDRAW_MS);
  try {
    const ended = await client.batches.waitFor(id, {
      signal: stopping.signal,
      onProgress: (record) => {
        batch = record;
        draw();
      },
    });
    clearInterval(ticker);
    readAt = -Infinity;
    await readCauses();
    draw();
    view?.end();
    return ended;
  } catch (error) {
    view?.end();
    if (!stopping.signal.aborted) throw error;
    note(`The batch ${id} goes on. Follow it again with:\n  ${options.comeBack}`);
    throw new ExitCode(EXIT.interrupted);
  } finally {
    clearInterval(ticker);
    interrupt.forget();
  }
}
