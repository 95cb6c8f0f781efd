import {
  API_IDS,
  API_OPERATIONS,
  getApi as getApiOperation,
  listApis as listApisOperation,
  type ApiId,
} from '@gleaner/contracts';
import { callApi } from '../../extraction/apis/call-api.ts';
import { getApi, listApis } from '../../extraction/apis/catalogue.ts';
import { pair, pairPublic, type OperationEntry } from '../pair.ts';

function formsOf<I extends ApiId>(id: I): OperationEntry[] {
  const { get, post } = API_OPERATIONS[id];
  return [
    pair(get, (ctx, { query }) => callApi(ctx, id, query)),
    pair(post, (ctx, { body }) => callApi(ctx, id, body)),
  ];
}

export const apiEntries: readonly OperationEntry[] = [
  pairPublic(listApisOperation, () => listApis()),
  pairPublic(getApiOperation, (input) => getApi(input)),
  ...API_IDS.flatMap((id) => formsOf(id)),
];
