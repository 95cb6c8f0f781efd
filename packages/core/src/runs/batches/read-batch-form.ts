import {
  AppError,
  batchFields,
  describeIssue,
  MAX_BATCH_UPLOAD_BYTES,
  type BatchFields,
  type UploadPart,
} from '@gleaner/contracts';
import { readFormField } from './read-form-field.ts';

type FilePart = Extract<UploadPart, { kind: 'file' }>;

export interface BatchForm {
  fields: BatchFields;
  format: 'ndjson' | 'csv';
  /** The bytes of the file. The caller must read them before the next part. */
  file: AsyncIterable<Uint8Array>;
}

const FILE_LAST = 'Send the file as the last part of the form.';

function isFile(part: UploadPart): part is FilePart {
  return part.kind === 'file' && part.name === 'file';
}

function readFormat({ filename, contentType }: FilePart): BatchForm['format'] {
  if (/csv/i.test(contentType ?? '')) return 'csv';
  if (/json/i.test(contentType ?? '')) return 'ndjson';
  return /\.csv$/i.test(filename ?? '') ? 'csv' : 'ndjson';
}

/** Reads the parts before the file. @returns their values and the file with its bytes still unread */
async function readParts(
  parts: AsyncIterator<UploadPart>,
): Promise<{ values: Record<string, unknown>; file: FilePart }> {
  const values: Record<string, unknown> = {};
  for (;;) {
    const next = await parts.next();
    if (next.done === true) {
      throw new AppError('invalid_request', { field: 'file', detail: 'the form has no part named file' });
    }
    if (isFile(next.value)) return { values, file: next.value };
    values[next.value.name] = await readFormField(next.value);
  }
}

function parseFields(values: Readonly<Record<string, unknown>>): BatchFields {
  if (values.target === undefined) {
    throw new AppError('invalid_request', {
      field: 'target',
      detail: 'the form has no part named target before the file',
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

/** Rejects a part after the file, which the batch would ignore. A truncated body throws here as well. */
async function* requireLast(
  file: AsyncIterable<Uint8Array>,
  parts: AsyncIterator<UploadPart>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* file;
  const next = await parts.next();
  if (next.done === true) return;
  throw new AppError('invalid_request', {
    field: next.value.name,
    detail: 'must be before the file',
    hint: FILE_LAST,
  });
}

/**
 * Reads a form up to its file, which is then streamed.
 * @throws AppError invalid_request, body_too_large. Reading the file can throw them too.
 */
export async function readBatchForm(parts: AsyncIterator<UploadPart>): Promise<BatchForm> {
  const { values, file } = await readParts(parts);
  return {
    fields: parseFields(values),
    format: readFormat(file),
    file: requireLast(limitBytes(file.stream), parts),
  };
}
