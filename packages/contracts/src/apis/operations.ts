import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import { defineOperation } from '../operation.ts';
import type { PrebuiltApi } from './prebuilt-api.ts';
import { PREBUILT_APIS } from './prebuilt-apis.ts';

/** Errors of every prebuilt endpoint, in addition to the errors of all operations. */
const API_ERRORS = [
  'insufficient_credits',
  'concurrency_limit_exceeded',
  'target_not_found',
  'target_blocked',
  'site_changed',
  'fetch_failed',
  'fetch_timed_out',
] as const satisfies readonly ErrorCode[];

/** `photoapp-profile` → `PhotoappProfile` */
function pascalCase(id: string): string {
  return id.replace(/(?:^|-)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

function getForm<I extends z.ZodObject, O extends z.ZodObject>(api: PrebuiltApi<I, O>) {
  return defineOperation({
    id: `get${pascalCase(api.id)}`,
    method: 'GET',
    path: api.path,
    tag: 'Prebuilt APIs',
    summary: api.name,
    description: api.description,
    auth: 'key',
    query: api.input,
    answer: { kind: 'json-text', status: 200, schema: api.output },
    errors: API_ERRORS,
    credits: api.credits,
  });
}

function postForm<I extends z.ZodObject, O extends z.ZodObject>(api: PrebuiltApi<I, O>) {
  return defineOperation({
    id: `post${pascalCase(api.id)}`,
    method: 'POST',
    path: api.path,
    tag: 'Prebuilt APIs',
    summary: `${api.name} (fields as JSON)`,
    description: api.description,
    auth: 'key',
    body: api.input,
    answer: { kind: 'json-text', status: 200, schema: api.output },
    errors: API_ERRORS,
    credits: api.credits,
  });
}

function forms<I extends z.ZodObject, O extends z.ZodObject>(api: PrebuiltApi<I, O>) {
  return {
    api,
    get: getForm(api),
    post: postForm(api),
  };
}

/** The two operations of each prebuilt API, by its id. */
export const API_OPERATIONS = {
  'photoapp-profile': forms(PREBUILT_APIS['photoapp-profile']),
  'photoapp-reels': forms(PREBUILT_APIS['photoapp-reels']),
  'photoapp-posts': forms(PREBUILT_APIS['photoapp-posts']),
  'videosite-channel-videos': forms(PREBUILT_APIS['videosite-channel-videos']),
  'videosite-channel-shorts': forms(PREBUILT_APIS['videosite-channel-shorts']),
  'videosite-search': forms(PREBUILT_APIS['videosite-search']),
  'videosite-video': forms(PREBUILT_APIS['videosite-video']),
  'shortvideo-profile': forms(PREBUILT_APIS['shortvideo-profile']),
  'shortvideo-video': forms(PREBUILT_APIS['shortvideo-video']),
  'realty-search': forms(PREBUILT_APIS['realty-search']),
  'realty-details': forms(PREBUILT_APIS['realty-details']),
  'pronet-post': forms(PREBUILT_APIS['pronet-post']),
} as const;
