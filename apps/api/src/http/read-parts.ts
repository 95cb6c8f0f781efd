import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Dicer } from '@fastify/busboy';
import { feedPieces } from './feed-pieces.ts';
import { AppError, joinPieces, type Upload, type UploadPart } from '@gleaner/contracts';

/** Form fields are kept in memory. Files and parts that the operation marks binary are streamed. */
const MAX_FIELD_BYTES = 1024 * 1024;
const MAX_PARTS = 1_000;

type PartHeaders = Record<string, string[] | undefined>;

/** A part with all its headers. @fastify/multipart drops the charset of a part's Content-Type. */
interface RawPart {
  headers: PartHeaders;
  stream: AsyncIterable<Uint8Array>;
}

/** The boundary of a multipart/form-data content type, or null. */
export function readBoundary(contentType: string | undefined): string | null {
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType ?? '')) return null;
  const match = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;]{1,200}))/i.exec(contentType ?? '');
  return match?.[1] ?? match?.[2] ?? null;
}

function readParameter(header: string, name: string): string | undefined {
  const match = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, 'i').exec(header);
  return match?.[1]?.replaceAll(/\\(.)/g, '$1') ?? match?.[2];
}

async function readText(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces = joinPieces();
  for await (const chunk of stream) {
    pieces.add(chunk);
    if (pieces.size() > MAX_FIELD_BYTES)
      throw new AppError('body_too_large', {
        field: 'body',
        detail: 'a field of the form is larger than 1 MB',
      });
  }
  return pieces.text();
}

async function toUploadPart({ headers, stream }: RawPart, { parts }: Upload): Promise<UploadPart> {
  const disposition = headers['content-disposition']?.[0] ?? '';
  const contentType = headers['content-type']?.[0];
  const name = readParameter(disposition, 'name') ?? '';
  const filename = readParameter(disposition, 'filename');
  const isBinary = Object.hasOwn(parts, name) && parts[name]?.binary === true;
  if (filename === undefined && contentType === undefined && !isBinary) {
    return { kind: 'field', name, value: await readText(stream) };
  }
  return { kind: 'file', name, filename, contentType, stream };
}

function tooMany(): AppError {
  return new AppError('invalid_request', { field: 'body', detail: 'too many parts' });
}

function toFailure(cause: unknown): AppError {
  return cause instanceof AppError
    ? cause
    : new AppError('invalid_request', {
        field: 'body',
        detail: 'the multipart body is malformed or was truncated',
        cause,
      });
}

/**
 * The parts of a multipart body as they arrive, with back-pressure: a part's stream is read before the next part.
 * The part's whole Content-Type is kept, since its charset matters.
 * @param hold gets each piece of the body; it throws when the caller holds too much
 */
export async function* readParts(
  request: IncomingMessage,
  boundary: string,
  upload: Upload,
  hold?: (chunk: Uint8Array) => void,
): AsyncGenerator<UploadPart, void, undefined> {
  const dicer = new Dicer({ boundary, maxHeaderPairs: 50 });
  const arrived: RawPart[] = [];
  let count = 0;
  let isFinished = false;
  let failure: unknown;
  let arriving: Readable | undefined;
  let wake: () => void = () => undefined;
  let stop: () => void = () => undefined;
  const fail = (error: unknown): void => {
    failure ??= error;
    // No more data will arrive, so the reader of the part must not wait for it.
    arriving?.destroy(toFailure(error));
    wake();
  };
  const onBytes = (chunk: Uint8Array): void => {
    try {
      hold?.(chunk);
    } catch (error) {
      request.off('data', onBytes);
      stop();
      fail(error);
    }
  };
  dicer.on('part', (part) => {
    count += 1;
    arriving = part;
    part.on('error', () => undefined);
    // Small parts cause no back-pressure: while one is in use, the others would fill the memory.
    if (count > MAX_PARTS) {
      stop();
      fail(tooMany());
      return;
    }
    part.on('header', (headers: object) => {
      arrived.push({ headers: headers as PartHeaders, stream: part as AsyncIterable<Uint8Array> });
      wake();
    });
  });
  dicer.on('finish', () => {
    isFinished = true;
    wake();
  });
  dicer.on('error', fail);
  request.once('error', fail);
  request.once('aborted', () => fail(new Error('aborted')));
  // A client that disconnected earlier causes no further event.
  if (request.destroyed) fail(new Error('aborted'));
  else {
    if (hold !== undefined) request.on('data', onBytes);
    stop = feedPieces(request, dicer);
  }
  try {
    for (;;) {
      const next = arrived.shift();
      if (next) {
        if (count > MAX_PARTS) throw tooMany();
        yield await toUploadPart(next, upload);
        continue;
      }
      if (failure !== undefined) throw toFailure(failure);
      if (isFinished) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } catch (error) {
    throw toFailure(error);
  } finally {
    stop();
    request.off('data', onBytes);
    // Unread data is discarded, so that the client can send everything and then read the response.
    request.resume();
  }
}
