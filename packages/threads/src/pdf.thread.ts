import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { Worker, parentPort, type MessagePort } from 'node:worker_threads';
import { PDF_EXITS, type PdfLimits, type PdfReading } from '@gleaner/extractors/pdf';

/** How often the process looks at what it uses. A PDF unpacks about 3 MB in this time. */
const WATCH_MS = 10;
const MEGABYTE = 1024 ** 2;

/** Ends the process when it uses more than its limits. */
function watch({ maxMemoryMb, maxCpuMs }: PdfLimits): void {
  setInterval(() => {
    if (process.memoryUsage.rss() > maxMemoryMb * MEGABYTE) process.exit(PDF_EXITS.memory);
    const { user, system } = process.cpuUsage();
    if ((user + system) / 1_000 > maxCpuMs) process.exit(PDF_EXITS.time);
  }, WATCH_MS).unref();
}

/**
 * The entry point of the process that reads one PDF: its bytes arrive at the standard input, and the reading leaves as JSON
 * at the standard output. The reading itself is in a thread, so that its limits are watched.
 */
async function serve(limits: PdfLimits): Promise<void> {
  watch(limits);
  const input = await buffer(process.stdin);
  const body = new Uint8Array(input);
  const thread = new Worker(new URL(import.meta.url));
  thread.postMessage(body, [body.buffer]);
  const [reading] = (await once(thread, 'message')) as [PdfReading];
  process.stdout.end(JSON.stringify(reading), () => process.exit(0));
}

/** The thread: answers the bytes of a PDF with its reading. */
async function read(port: MessagePort): Promise<void> {
  const { readPdf } = await import('@gleaner/extractors/pdf/read');
  const [body] = (await once(port, 'message')) as [Uint8Array];
  port.postMessage(await readPdf(body), []);
}

if (parentPort === null) await serve(JSON.parse(process.argv[2] ?? '') as PdfLimits);
else await read(parentPort);
