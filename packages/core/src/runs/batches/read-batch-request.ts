import { AppError, type BatchFields } from '@gleaner/contracts';
import type { InputOf } from '../../platform/context.ts';
import { readRunSource, sourcedInputs, type RunSource } from '../submission/run-source.ts';
import type { ResolvedTarget } from '../submission/resolve-target.ts';
import { chooseInputs, type RunInputs } from '../submission/run-inputs.ts';
import { readBatchForm, type BatchForm } from './read-batch-form.ts';
import { readFileInputs, type FileReader } from './read-inputs.ts';

/** The request for a batch, as JSON or as a form. */
export interface BatchRequest {
  fields: BatchFields;
  /** Opens the inputs for a single read. @throws AppError invalid_request for a field that doesn't fit the target */
  inputs: (target: ResolvedTarget) => RunInputs;
  source?: RunSource | undefined;
}

type Request = InputOf<'createBatch'>;

/** What a form is read with. */
type FormReader = Pick<FileReader, 'readSheet' | 'onLeftOut'>;

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

function openFile(form: BatchForm, { takesUrls }: ResolvedTarget, reader: FormReader): RunInputs {
  return {
    blocks: readFileInputs(form.file, {
      ...reader,
      format: form.format,
      takesUrls,
      isWhole: form.fields.carry !== undefined,
    }),
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
