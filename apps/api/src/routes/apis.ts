import {
  API_OPERATIONS,
  getApi as getApiOperation,
  listApis as listApisOperation,
  type ApiId,
} from '@gleaner/contracts';
import { callApi, getApi, listApis } from '@gleaner/core';
import { endpoint, publicEndpoint, type Endpoint } from '../endpoint.ts';

function formsOf<I extends ApiId>(id: I): Endpoint[] {
  const { get, post } = API_OPERATIONS[id];
  return [
    endpoint(get, (ctx, { query }) => callApi(ctx, id, query)),
    endpoint(post, (ctx, { body }) => callApi(ctx, id, body)),
  ];
}

export const apiEndpoints: readonly Endpoint[] = [
  publicEndpoint(listApisOperation, () => listApis()),
  publicEndpoint(getApiOperation, (_services, input) => getApi(input)),
  ...formsOf('photoapp-profile'),
  ...formsOf('photoapp-reels'),
  ...formsOf('photoapp-posts'),
  ...formsOf('videosite-channel-videos'),
  ...formsOf('videosite-channel-shorts'),
  ...formsOf('videosite-search'),
  ...formsOf('videosite-video'),
  ...formsOf('shortvideo-profile'),
  ...formsOf('shortvideo-video'),
  ...formsOf('realty-search'),
  ...formsOf('realty-details'),
  ...formsOf('pronet-post'),
];
