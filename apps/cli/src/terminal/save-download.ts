import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Download } from '@gleaner/client';
import { Fault } from '../fault.ts';
import { clean } from './clean.ts';

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
