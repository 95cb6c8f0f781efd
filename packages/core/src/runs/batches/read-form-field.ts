import { AppError, joinPieces, parseExactJson, type UploadPart } from '@gleaner/contracts';
import { checkJsonSize } from '../../platform/json/check-json-size.ts';

const MAX_FIELD_BYTES = 1024 * 1024;

function readJson(value: string, name: string): unknown {
  checkJsonSize(value, name);
  try {
    return parseExactJson(value);
  } catch (cause) {
    throw new AppError('invalid_request', { field: name, detail: 'must be JSON', cause });
  }
}

function readText(value: string): string {
  return value;
}

/** What is no number stays a text, which the schema of the fields refuses. */
function readNumber(value: string): number | string {
  return value.trim() === '' || Number.isNaN(Number(value)) ? value : Number(value);
}

/** Any other text stays unchanged, and the schema of the fields refuses it. */
function readBoolean(value: string): boolean | string {
  if (value === 'true') return true;
  return value === 'false' ? false : value;
}

const READERS: Readonly<Record<string, (value: string, name: string) => unknown>> = {
  name: readText,
  webhook_url: readText,
  target: readJson,
  scrape_config: readJson,
  sink: readJson,
  max_credits: readNumber,
  keep_pages: readText,
  carry: readJson,
  dedupe: readBoolean,
  skip_invalid: readBoolean,
  dry_run: readBoolean,
};

/** The text of a field with a content type. Some clients send JSON this way, and the form's parser treats it as a file. */
async function readStream({ name, stream }: Extract<UploadPart, { kind: 'file' }>): Promise<string> {
  const pieces = joinPieces();
  for await (const chunk of stream) {
    pieces.add(chunk);
    if (pieces.size() > MAX_FIELD_BYTES) {
      throw new AppError('body_too_large', {
        field: name,
        detail: `the field is larger than ${MAX_FIELD_BYTES} bytes`,
      });
    }
  }
  return pieces.text();
}

/**
 * The value of a part other than the file, before validation.
 * @throws AppError invalid_request for an unknown field or invalid JSON, body_too_large
 */
export async function readFormField(part: UploadPart): Promise<unknown> {
  const { name } = part;
  const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  if (!reader) throw new AppError('invalid_request', { field: name, detail: 'is not a known field' });
  return reader(part.kind === 'field' ? part.value : await readStream(part), name);
}
