import {
  AppError,
  describeApi,
  isApiId,
  PREBUILT_APIS,
  summarizeApi,
  type getApi as getOperation,
  type OperationInput,
  type OperationOutput,
} from '@gleaner/contracts';

const summaries = Object.values(PREBUILT_APIS).map(summarizeApi);
const descriptions = new Map<string, OperationOutput<typeof getOperation>>();

/** All prebuilt APIs, in the order of the catalogue. */
export function listApis(): { apis: typeof summaries } {
  return { apis: summaries };
}

/** One prebuilt API with its schemas. @throws AppError not_found */
export function getApi({
  params: { id },
}: OperationInput<typeof getOperation>): OperationOutput<typeof getOperation> {
  if (!isApiId(id)) throw new AppError('not_found', { detail: `there is no API ${id}` });
  const known = descriptions.get(id) ?? describeApi(PREBUILT_APIS[id]);
  descriptions.set(id, known);
  return known;
}
