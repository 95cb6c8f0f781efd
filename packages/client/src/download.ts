import { unexpected } from './errors.ts';

/** A streamed response. Read it once, in one of these ways, or cancel its stream. */
export interface Download {
  readonly contentType: string;
  readonly filename: string | undefined;
  readonly stream: ReadableStream<Uint8Array>;
  text(): Promise<string>;
  /** Lines of text without line ends. CSV starts with the header. */
  lines(): AsyncGenerator<string, void, undefined>;
  /** Lines of NDJSON as values. */
  rows<T = unknown>(): AsyncGenerator<T, void, undefined>;
}

/** Chunks of a stream, which not every browser iterates. Ending the iteration ends the download. */
export async function* chunksOf(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Chunks of text of a body. */
export async function* textOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  for await (const chunk of chunksOf(stream)) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  let rest = '';
  for await (const chunk of textOf(stream)) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  if (rest !== '') yield rest;
}

/** The body of a streamed response. */
export function bodyOf(response: Response): ReadableStream<Uint8Array> {
  if (response.body) return response.body;
  throw unexpected(response, 'the response has no body');
}

export function toDownload(response: Response): Download {
  const stream = bodyOf(response);
  return {
    contentType: response.headers.get('content-type') ?? '',
    filename: /filename="([^"]*)"/.exec(response.headers.get('content-disposition') ?? '')?.[1],
    stream,
    text: async () => {
      let text = '';
      for await (const chunk of textOf(stream)) text += chunk;
      return text;
    },
    lines: () => linesOf(stream),
    rows: async function* rows<T>() {
      // The caller specifies the type of the exported data.
      for await (const line of linesOf(stream)) if (line !== '') yield JSON.parse(line) as T;
    },
  };
}
