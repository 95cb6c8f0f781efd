import { AppError, PREBUILT_APIS, type ApiId, type JsonText } from '@gleaner/contracts';
import { checkSiteInput } from '@gleaner/extractors/sites';
import type { Context } from '../../platform/context.ts';
import { runRequest, type InteractiveServices } from '../../runs/requests/run-request.ts';

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
