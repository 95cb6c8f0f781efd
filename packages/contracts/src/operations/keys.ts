import { z } from 'zod';
import { idField, listAnswer, nameField, searchQuery, timestampField } from '../fields.ts';
import { operationsOf, json, created } from '../define-operation.ts';

const define = operationsOf({ tag: 'Keys', auth: 'session' });

export const keyRecordSchema = z
  .object({
    id: idField('key'),
    name: z.string(),
    shown: z.string().describe('`gln_<id>_…<last four>`: enough to recognise the key, not to use it.'),
    created_at: timestampField,
    last_used_at: timestampField.nullable(),
    revoked_at: timestampField.nullable(),
  })
  .meta({ id: 'Key' });

const keyParams = z.strictObject({ id: idField('key') });
const keyBody = z.strictObject({ name: nameField });
const BODY_LIMIT_BYTES = 4_096;

export const listKeys = define('listKeys', 'GET /v1/keys', {
  summary: 'Keys of the account, newest first. Revoked keys stay listed for 90 days.',
  query: searchQuery,
  answer: json(listAnswer('keys', keyRecordSchema)),
});

export const createKey = define('createKey', 'POST /v1/keys', {
  summary: 'Create a key.',
  description: 'Only this response contains the key itself.',
  body: keyBody,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  answer: created(keyRecordSchema.extend({ api_key: z.string() })),
  errors: ['plan_limit_exceeded'],
  creates: true,
  showsSecret: true,
});

export const getKey = define('getKey', 'GET /v1/keys/{id}', {
  summary: 'Get a key.',
  params: keyParams,
  answer: json(keyRecordSchema),
});

export const updateKey = define('updateKey', 'PUT /v1/keys/{id}', {
  summary: 'Rename a key.',
  params: keyParams,
  body: keyBody.partial(),
  bodyLimitBytes: BODY_LIMIT_BYTES,
  answer: json(keyRecordSchema),
});

export const deleteKey = define('deleteKey', 'DELETE /v1/keys/{id}', {
  summary: 'Revoke a key. It is refused within a second, and its sessions end.',
  params: keyParams,
  answer: { kind: 'empty', status: 204 },
});
