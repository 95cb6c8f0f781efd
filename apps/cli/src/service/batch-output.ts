import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Batch, Client, Download } from '@gleaner/client';
import { Fault } from '../fault.ts';
import { clean } from '../terminal/clean.ts';
import { note, plural } from '../terminal/output.ts';

/** The download's text without what could steer a terminal. */
async function* cleanedText(download: Download): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of download.stream) yield clean(decoder.decode(chunk, { stream: true }));
  yield clean(decoder.decode());
}

/**
 * Writes a download to a file, which appears under its name only when it is whole, or to standard output: cleaned on a
 * terminal, unchanged in a pipe.
 * @param path absent or `-`: standard output
 */
export async function saveDownload(
  download: Download,
  path: string | undefined,
  output: Writable & { isTTY?: boolean } = process.stdout,
): Promise<void> {
  if (path === undefined || path === '-') {
    const parts = output.isTTY === true ? cleanedText(download) : download.stream;
    await pipeline(Readable.from(parts), output, { end: false });
    return;
  }
  const unfinished = `${path}.${process.pid}.part`;
  try {
    await pipeline(Readable.from(download.stream), createWriteStream(unfinished, { flags: 'wx' }));
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    if (error instanceof Error && 'syscall' in error)
      throw new Fault(`can’t write ${path}: ${error.message}`);
    throw error;
  }
}

/** The end of a batch in a line, and its failures by cause, on standard error. */
export async function noteEnd(client: Client, batch: Batch): Promise<void> {
  const { succeeded, failed, cancelled } = batch.counts;
  const others = cancelled > 0 ? `, ${cancelled} cancelled` : '';
  note(
    `${batch.id} ${batch.status}: ${succeeded} succeeded, ${failed} failed${others}, ${plural(batch.credits.used, 'credit')} used`,
  );
  if (failed === 0) return;
  const { causes = [] } = await client.batches.failures(batch.id, { limit: 1 });
  for (const { error, count, example } of causes) {
    note(
      `  ${count} × ${error}${example.detail === undefined ? '' : `: ${example.detail}`}  (${example.url})`,
    );
    if (example.hint !== undefined) note(`    ${example.hint}`);
  }
  note(`All of them: gleaner batch failures ${batch.id}`);
}
