import { AppError, type BatchFields } from '@gleaner/contracts';
import type { InputOf } from '../../platform/context.ts';
import { readRunSource, sourcedInputs, type RunSource } from '../submission/run-source.ts';
import type { ResolvedTarget } from '../submission/resolve-target.ts';
import { ARCHIVE_MARK } from '../../storage/sheets/sheet-limits.ts';
import { chooseInputs, type InputBlock, type RunInputs } from '../submission/run-inputs.ts';
import { readBatchForm, type BatchForm } from './read-batch-form.ts';
import { readCsvInputs, readNdjsonInputs } from './read-inputs.ts';

/** The request for a batch, as JSON or as a form. */
export interface BatchRequest {
  fields: BatchFields;
  /** Opens the inputs for a single read. @throws AppError invalid_request for a field that doesn't fit the target */
  inputs: (target: ResolvedTarget) => RunInputs;
  source?: RunSource | undefined;
}

type Request = InputOf<'createBatch'>;

/** What a form is read with. */
interface FormReader {
  /** Reads a spreadsheet. */
  readSheet: (archive: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
  /** Called with the names of columns of a file that inputs don't have. */
  onLeftOut: (names: readonly string[]) => void;
}

function readBatchBody(body: Request['body']): BatchRequest {
  if (body === undefined) throw new AppError('invalid_request', { field: 'body' });
  const { urls, inputs, source: written, since, ...fields } = body;
  const source = readRunSource(written, since);
  return { fields, inputs: (target) => openInputs({ urls, inputs, source }, target), source };
}

/** The inputs of a body. @throws AppError invalid_request: not what this target takes */
export function openInputs(
  { source, ...lists }: Parameters<typeof chooseInputs>[0] & { source: RunSource | undefined },
  target: ResolvedTarget,
): RunInputs {
  return source === undefined ? chooseInputs(lists, target) : sourcedInputs(target, lists);
}

/** The inputs of a file: a spreadsheet is known by its first bytes, whatever its name. */
async function* readInputFile(
  { fields, format, file }: BatchForm,
  takesUrls: boolean,
  { readSheet, onLeftOut }: FormReader,
): AsyncGenerator<InputBlock, void, undefined> {
  const options = { isWhole: fields.carry !== undefined, onLeftOut };
  const rest = file[Symbol.asyncIterator]();
  const first = await rest.next();
  const start = first.done === true ? new Uint8Array() : first.value;
  const whole = (async function* whole() {
    yield start;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  })();
  if (Buffer.from(start.subarray(0, ARCHIVE_MARK.length)).toString('latin1') === ARCHIVE_MARK)
    yield* readCsvInputs(readSheet(whole), takesUrls, options);
  else yield* format === 'csv' ? readCsvInputs(whole, takesUrls, options) : readNdjsonInputs(whole);
}

function openFile(form: BatchForm, { takesUrls }: ResolvedTarget, reader: FormReader): RunInputs {
  return {
    blocks: readInputFile(form, takesUrls, reader),
    field: 'file',
    describe: (at) => ({ field: 'file', detail: `line ${at} ` }),
  };
}

/**
 * Reads the request up to its inputs.
 * @throws AppError invalid_request, body_too_large
 */
export async function readBatchRequest(
  { body, upload }: Pick<Request, 'body' | 'upload'>,
  reader: FormReader,
): Promise<BatchRequest> {
  if (upload === undefined) return readBatchBody(body);
  const form = await readBatchForm(upload[Symbol.asyncIterator]());
  return { fields: form.fields, inputs: (target) => openFile(form, target, reader) };
}
