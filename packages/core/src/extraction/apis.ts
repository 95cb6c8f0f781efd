import {
  AppError,
  PREBUILT_APIS,
  describeApi,
  isApiId,
  summarizeApi,
  type ApiId,
  type JsonText,
} from '@gleaner/contracts';
import { checkSiteInput } from '@gleaner/extractors/sites';
import type { Context, OutputOf, Perform } from '../platform/context.ts';
import { runRequest, type InteractiveServices } from '../runs/requests/run-request.ts';

/**
 * Runs a prebuilt API at its fixed price.
 * @throws AppError invalid_request when an address in the input is not on the site
 */
export async function callApi(
  ctx: Context<InteractiveServices>,
  id: ApiId,
  input: Readonly<Record<string, unknown>>,
): Promise<JsonText> {
  const fault = checkSiteInput(id, input, ctx.services.config.sites);
  if (fault) throw new AppError('invalid_request', fault);
  return runRequest(
    ctx,
    { target: { type: 'api', id }, input, config: {} },
    { price: PREBUILT_APIS[id].credits },
  );
}

const summaries = Object.values(PREBUILT_APIS).map(summarizeApi);
const descriptions = new Map<string, OutputOf<'getApi'>>();

/** All prebuilt APIs, in the order of the catalogue. */
export const listApis: Perform<'listApis'> = async () => ({ apis: summaries });

/** One prebuilt API with its schemas. @throws AppError not_found */
export const getApi: Perform<'getApi'> = async (_ctx, { params: { id } }) => {
  if (!isApiId(id)) throw new AppError('not_found', { detail: `there is no API ${id}` });
  const known = descriptions.get(id) ?? describeApi(PREBUILT_APIS[id]);
  descriptions.set(id, known);
  return known;
};
