import { AppError, type BatchFields } from '@gleaner/contracts';
import type { InputOf } from '../../platform/context.ts';
import { readRunSource, sourcedInputs, type RunSource } from '../submission/run-source.ts';
import type { ResolvedTarget } from '../submission/resolve-target.ts';
import { chooseInputs, type RunInputs } from '../submission/run-inputs.ts';
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

function openFile({ fields, format, file }: BatchForm, { takesUrls }: ResolvedTarget): RunInputs {
  const isWhole = fields.carry !== undefined;
  return {
    blocks: format === 'csv' ? readCsvInputs(file, takesUrls, { isWhole }) : readNdjsonInputs(file),
    field: 'file',
    describe: (at) => ({ field: 'file', detail: `line ${at} ` }),
  };
}

/**
 * Reads the request up to its inputs.
 * @throws AppError invalid_request, body_too_large
 */
export async function readBatchRequest({
  body,
  upload,
}: Pick<Request, 'body' | 'upload'>): Promise<BatchRequest> {
  if (upload === undefined) return readBatchBody(body);
  const form = await readBatchForm(upload[Symbol.asyncIterator]());
  return { fields: form.fields, inputs: (target) => openFile(form, target) };
}
