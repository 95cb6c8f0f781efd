import {
  AppError,
  batchFields,
  describeIssue,
  joinPieces,
  MAX_BATCH_UPLOAD_BYTES,
  type BatchFields,
  type TextExportFormat,
  type UploadPart,
} from '@gleaner/contracts';
import { readFormField } from './read-form-field.ts';

type FilePart = Extract<UploadPart, { kind: 'file' }>;

export interface BatchForm {
  fields: BatchFields;
  format: TextExportFormat;
  /** The bytes of the file. The caller must read them before the next part. */
  file: AsyncIterable<Uint8Array>;
}

const FILE_LAST = 'Send a file of more than 8 MB as the last part of the form.';
/** The file's bytes that are held until the other parts have come. A longer file is streamed, so it must be last. */
const HELD_BYTES = 8 * 1024 * 1024;

function isFile(part: UploadPart): part is FilePart {
  return part.kind === 'file' && part.name === 'file';
}

function readFormat({ filename, contentType }: FilePart): BatchForm['format'] {
  if (/csv/i.test(contentType ?? '')) return 'csv';
  if (/json/i.test(contentType ?? '')) return 'ndjson';
  return /\.csv$/i.test(filename ?? '') ? 'csv' : 'ndjson';
}

/** The beginning of a file, whole when it is short. */
interface Held {
  start: Uint8Array;
  /** The rest of a longer file, still unread. */
  rest?: AsyncIterator<Uint8Array>;
}

async function hold(stream: AsyncIterable<Uint8Array>): Promise<Held> {
  const bytes = stream[Symbol.asyncIterator]();
  const pieces = joinPieces();
  while (pieces.size() <= HELD_BYTES) {
    const next = await bytes.next();
    if (next.done === true) return { start: pieces.join() };
    pieces.add(next.value);
  }
  return { start: pieces.join(), rest: bytes };
}

/** Reads the parts, and the file until it proves long. */
async function readParts(
  parts: AsyncIterator<UploadPart>,
): Promise<{ values: Record<string, unknown>; file: FilePart; held: Held }> {
  const values: Record<string, unknown> = {};
  let found: { file: FilePart; held: Held } | undefined;
  for (;;) {
    const next = await parts.next();
    if (next.done === true) {
      if (found) return { values, ...found };
      throw new AppError('invalid_request', { field: 'file', detail: 'the form has no part named file' });
    }
    if (!isFile(next.value)) {
      values[next.value.name] = await readFormField(next.value);
      continue;
    }
    if (found) throw new AppError('invalid_request', { field: 'file', detail: 'the form has two files' });
    found = { file: next.value, held: await hold(next.value.stream) };
    if (found.held.rest) return { values, ...found };
  }
}

function parseFields(values: Readonly<Record<string, unknown>>): BatchFields {
  if (values.target === undefined) {
    throw new AppError('invalid_request', {
      field: 'target',
      detail: 'the form has no part named target, or has it after a long file',
      hint: FILE_LAST,
    });
  }
  const parsed = batchFields.safeParse(values);
  if (parsed.success) return parsed.data;
  const [fault] = parsed.error.issues.map((issue) => describeIssue(issue, values));
  throw new AppError('invalid_request', fault ?? { field: 'body' });
}

async function* limitBytes(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > MAX_BATCH_UPLOAD_BYTES) {
      throw new AppError('body_too_large', {
        field: 'file',
        detail: `the file is larger than ${MAX_BATCH_UPLOAD_BYTES} bytes`,
      });
    }
    yield chunk;
  }
}

/** The bytes of a file. Rejects a part after one that was not held. A truncated body throws here as well. */
async function* readFile(
  { start, rest }: Held,
  parts: AsyncIterator<UploadPart>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield start;
  if (!rest) return;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  const next = await parts.next();
  if (next.done === true) return;
  throw new AppError('invalid_request', {
    field: next.value.name,
    detail: 'must be before a file of more than 8 MB',
    hint: FILE_LAST,
  });
}

/**
 * Reads a form: its parts in any order when the file is short, else up to the file, which is then streamed.
 * @throws AppError invalid_request, body_too_large. Reading the file can throw them too.
 */
export async function readBatchForm(parts: AsyncIterator<UploadPart>): Promise<BatchForm> {
  const { values, file, held } = await readParts(parts);
  return {
    fields: parseFields(values),
    format: readFormat(file),
    file: limitBytes(readFile(held, parts)),
  };
}
