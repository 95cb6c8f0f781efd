import {
  AppError,
  batchFields,
  describeIssue,
  MAX_BATCH_UPLOAD_BYTES,
  type BatchFields,
  type UploadPart,
} from '@gleaner/contracts';

type FilePart = Extract<UploadPart, { kind: 'file' }>;

export interface BatchForm {
  fields: BatchFields;
  format: 'ndjson' | 'csv';
  /** The file's bytes; to be read at once. */
  file: AsyncIterable<Uint8Array>;
}

function readJson(name: string, value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch (cause) {
    throw new AppError('invalid_request', { field: name, detail: 'must be JSON', cause });
  }
}

const READERS: Readonly<Record<string, (value: string, name: string) => unknown>> = {
  name: (value) => value,
  webhook_url: (value) => value,
  target: (value, name) => readJson(name, value),
  scrape_config: (value, name) => readJson(name, value),
  sink: (value, name) => readJson(name, value),
  max_credits: (value) => Number(value),
  dedupe: (value) => (value === 'true' ? true : value === 'false' ? false : value),
  dry_run: (value) => (value === 'true' ? true : value === 'false' ? false : value),
};

function readFormat({ filename, contentType }: FilePart): BatchForm['format'] {
  if (/csv/i.test(contentType ?? '')) return 'csv';
  if (/json/i.test(contentType ?? '')) return 'ndjson';
  return /\.csv$/i.test(filename ?? '') ? 'csv' : 'ndjson';
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

/** What comes after the file would be too late to be heeded; and a body that was cut off ends in a fault here. */
async function* requireLast(
  file: AsyncIterable<Uint8Array>,
  parts: AsyncIterator<UploadPart>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* file;
  const next = await parts.next();
  if (next.done === true) return;
  throw new AppError('invalid_request', {
    field: next.value.name,
    detail: 'comes after the file',
    hint: 'Send the file as the last part of the form.',
  });
}

function parseFields(values: Readonly<Record<string, unknown>>): BatchFields {
  if (values.target === undefined) {
    throw new AppError('invalid_request', {
      field: 'target',
      detail: 'there is no part named target before the file',
      hint: 'Send the file as the last part of the form.',
    });
  }
  const parsed = batchFields.safeParse(values);
  if (parsed.success) return parsed.data;
  const [fault] = parsed.error.issues.map(describeIssue);
  throw new AppError('invalid_request', fault ?? { field: 'body' });
}

/**
 * Reads a form up to its file, whose bytes are then streamed.
 * @throws AppError invalid_request
 */
export async function readBatchForm(parts: AsyncIterator<UploadPart>): Promise<BatchForm> {
  const values: Record<string, unknown> = {};
  for (;;) {
    const next = await parts.next();
    if (next.done === true) {
      throw new AppError('invalid_request', { field: 'file', detail: 'there is no part named file' });
    }
    const part = next.value;
    if (part.kind === 'file' && part.name === 'file') {
      const file = requireLast(limitBytes(part.stream), parts);
      return { fields: parseFields(values), format: readFormat(part), file };
    }
    const reader = Object.hasOwn(READERS, part.name) ? READERS[part.name] : undefined;
    if (!reader) throw new AppError('invalid_request', { field: part.name, detail: 'is not a known field' });
    values[part.name] = reader(part.kind === 'field' ? part.value : await readText(part), part.name);
  }
}

const MAX_FIELD_BYTES = 1024 * 1024;

/** A field that was sent with a content type, as some clients do for JSON. */
async function readText({ name, stream }: FilePart): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > MAX_FIELD_BYTES)
      throw new AppError('body_too_large', { field: name, detail: 'the field is too large' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString('utf8');
}
