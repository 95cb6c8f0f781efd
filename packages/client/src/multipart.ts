import { chunksOf } from './download.ts';

export type FileContent =
  | string
  | Uint8Array
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<string | Uint8Array>;

/** A file to upload: its content, optionally with a name and type. */
export type FileInput =
  | FileContent
  | { readonly content: FileContent; readonly filename?: string; readonly contentType?: string };

export interface Upload {
  readonly body: ReadableStream<Uint8Array> | Blob;
  readonly contentType: string;
  /** The error that the caller's content threw while it was read; the cause of the failed request. */
  fault(): { thrown: unknown } | undefined;
}

const encoder = new TextEncoder();

function isFile(value: object): value is { content: FileContent; filename?: string; contentType?: string } {
  return 'content' in value;
}

function isContent(value: unknown): value is FileContent {
  return (
    value instanceof Uint8Array ||
    value instanceof Blob ||
    (typeof value === 'object' &&
      value !== null &&
      (Symbol.asyncIterator in value || value instanceof ReadableStream))
  );
}

async function* bytesOf(content: FileContent): AsyncGenerator<Uint8Array, void, undefined> {
  if (typeof content === 'string') yield encoder.encode(content);
  else if (content instanceof Uint8Array) yield content;
  else if (content instanceof Blob) yield* chunksOf(content.stream());
  else if (content instanceof ReadableStream) yield* chunksOf(content);
  else for await (const chunk of content) yield typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '%22').replaceAll(/[\r\n]+/g, ' ')}"`;
}

interface Part {
  head: string;
  content: FileContent;
}

function toPart(name: string, value: unknown): Part {
  const head = `Content-Disposition: form-data; name=${quote(name)}`;
  if (typeof value === 'object' && value !== null && (isContent(value) || isFile(value))) {
    const file = isFile(value) && !isContent(value) ? value : { content: value as FileContent };
    const filename = file.filename ?? (file.content instanceof File ? file.content.name : name);
    const ownType = file.content instanceof Blob && file.content.type !== '' ? file.content.type : undefined;
    const type = file.contentType ?? ownType ?? 'application/octet-stream';
    return {
      head: `${head}; filename=${quote(filename)}\r\nContent-Type: ${type.replaceAll(/[\r\n]+/g, ' ')}`,
      content: file.content,
    };
  }
  return { head, content: typeof value === 'string' ? value : JSON.stringify(value) };
}

async function* formBytes(
  parts: readonly Part[],
  boundary: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const { head, content } of parts) {
    yield encoder.encode(`--${boundary}\r\n${head}\r\n\r\n`);
    yield* bytesOf(content);
    yield encoder.encode('\r\n');
  }
  yield encoder.encode(`--${boundary}--\r\n`);
}

async function* noteFault(
  chunks: AsyncIterable<Uint8Array>,
  note: (thrown: unknown) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* chunks;
  } catch (error) {
    note(error);
    throw error;
  }
}

/** A stream that reads the next chunk only when the connection has room. */
function toStream(chunks: AsyncGenerator<Uint8Array, void, undefined>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await chunks.return()),
    },
    { highWaterMark: 0 },
  );
}

/** Browsers stream uploads only over HTTP/2, or not at all, so the body is collected in a Blob there. */
function canStream(): boolean {
  return !('document' in globalThis) && !('importScripts' in globalThis);
}

export type Parts = Readonly<Record<string, unknown>>;

function listParts(parts: Parts): Part[] {
  return Object.entries(parts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => toPart(name, value));
}

/** Whether the contents can be read again for a retry. */
export function isRepeatable(parts: Parts): boolean {
  return listParts(parts).every(
    ({ content }) => typeof content === 'string' || content instanceof Uint8Array || content instanceof Blob,
  );
}

/** A form as a request body, with parts in the given order. Undefined parts are left out; objects become JSON. */
export async function createUpload(parts: Parts): Promise<Upload> {
  const list = listParts(parts);
  const boundary = `gleaner-${crypto.randomUUID()}`;
  let fault: { thrown: unknown } | undefined;
  const bytes = noteFault(formBytes(list, boundary), (thrown) => {
    fault = { thrown };
  });
  const contentType = `multipart/form-data; boundary=${boundary}`;
  if (canStream()) return { body: toStream(bytes), contentType, fault: () => fault };
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  // A Blob rejects shared memory, but our chunks are never in shared memory.
  return { body: new Blob(chunks as BlobPart[]), contentType, fault: () => fault };
}

/**
 * Batch inputs as NDJSON: one line for each, with a URL or an object of a prebuilt API's parameters. Lines are combined
 * into chunks of about 64 KB.
 */
export async function* toNdjson(
  inputs: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const CHUNK_CHARACTERS = 65_536;
  let text = '';
  for await (const input of inputs) {
    text += `${JSON.stringify(input)}\n`;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield encoder.encode(text);
    text = '';
  }
  if (text !== '') yield encoder.encode(text);
}
