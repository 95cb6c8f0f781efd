import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import { operationsOf, rawJson } from '../define-operation.ts';
import { API_IDS, type ApiId } from '../values/index.ts';
import type { PrebuiltApi } from './prebuilt-api.ts';
import { PREBUILT_APIS } from './prebuilt-apis.ts';

const define = operationsOf({ tag: 'Prebuilt APIs', auth: 'key' });

/** Errors of every prebuilt endpoint, beyond those that follow from its definition. */
const API_ERRORS = [
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

function forms<I extends z.ZodObject, O extends z.ZodObject>(api: PrebuiltApi<I, O>) {
  const { id, name, description, path, input, output, credits } = api;
  const common = { description, answer: rawJson(output), errors: API_ERRORS, credits } as const;
  const asJson = `${name} (fields as JSON)`;
  return {
    api,
    get: define(`get${pascalCase(id)}`, `GET ${path}`, { ...common, summary: name, query: input }),
    post: define(`post${pascalCase(id)}`, `POST ${path}`, { ...common, summary: asJson, body: input }),
  };
}

type ApiOperations = {
  [I in ApiId]: ReturnType<
    typeof forms<(typeof PREBUILT_APIS)[I]['input'], (typeof PREBUILT_APIS)[I]['output']>
  >;
};

/** The two operations of each prebuilt API, by its id. */
export const API_OPERATIONS = Object.fromEntries(
  API_IDS.map((id) => [id, forms<z.ZodObject, z.ZodObject>(PREBUILT_APIS[id])]),
) as ApiOperations;
