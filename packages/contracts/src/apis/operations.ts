import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import { operationsOf } from '../operation.ts';
import { API_IDS, type ApiId } from '../values/index.ts';
import type { PrebuiltApi } from './prebuilt-api.ts';
import { PREBUILT_APIS } from './prebuilt-apis.ts';

const define = operationsOf({ tag: 'Prebuilt APIs', auth: 'key' });

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
  return define({
    id: `get${pascalCase(api.id)}`,
    method: 'GET',
    path: api.path,
    summary: api.name,
    description: api.description,
    query: api.input,
    answer: { kind: 'json-text', status: 200, schema: api.output },
    errors: API_ERRORS,
    credits: api.credits,
  });
}

function postForm<I extends z.ZodObject, O extends z.ZodObject>(api: PrebuiltApi<I, O>) {
  return define({
    id: `post${pascalCase(api.id)}`,
    method: 'POST',
    path: api.path,
    summary: `${api.name} (fields as JSON)`,
    description: api.description,
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

type ApiOperations = {
  [I in ApiId]: ReturnType<
    typeof forms<(typeof PREBUILT_APIS)[I]['input'], (typeof PREBUILT_APIS)[I]['output']>
  >;
};

function operationsById(): ApiOperations {
  const entries = API_IDS.map((id) => [id, forms<z.ZodObject, z.ZodObject>(PREBUILT_APIS[id])]);
  return Object.fromEntries(entries) as ApiOperations;
}

/** The two operations of each prebuilt API, by its id. */
export const API_OPERATIONS = operationsById();
