import { z } from 'zod';
import { idField, listAnswer, listQuery, nameField, timestampField } from '../fields.ts';
import { defineOperation } from '../operation.ts';

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

export const listKeys = defineOperation({
  id: 'listKeys',
  method: 'GET',
  path: '/v1/keys',
  tag: 'Keys',
  summary: 'Keys of the account, newest first. Revoked keys stay listed for 90 days.',
  auth: 'session',
  query: listQuery,
  answer: { kind: 'json', status: 200, schema: listAnswer('keys', keyRecordSchema) },
  errors: [],
});

export const createKey = defineOperation({
  id: 'createKey',
  method: 'POST',
  path: '/v1/keys',
  tag: 'Keys',
  summary: 'Create a key.',
  description: 'Only this response contains the key itself.',
  auth: 'session',
  body: keyBody,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  answer: { kind: 'json', status: 201, schema: keyRecordSchema.extend({ api_key: z.string() }) },
  errors: ['plan_limit_exceeded'],
  creates: true,
  showsSecret: true,
});

export const getKey = defineOperation({
  id: 'getKey',
  method: 'GET',
  path: '/v1/keys/{id}',
  tag: 'Keys',
  summary: 'Get a key.',
  auth: 'session',
  params: keyParams,
  answer: { kind: 'json', status: 200, schema: keyRecordSchema },
  errors: ['not_found'],
});

export const updateKey = defineOperation({
  id: 'updateKey',
  method: 'PUT',
  path: '/v1/keys/{id}',
  tag: 'Keys',
  summary: 'Rename a key.',
  auth: 'session',
  params: keyParams,
  body: keyBody.partial(),
  bodyLimitBytes: BODY_LIMIT_BYTES,
  answer: { kind: 'json', status: 200, schema: keyRecordSchema },
  errors: ['not_found'],
});

export const deleteKey = defineOperation({
  id: 'deleteKey',
  method: 'DELETE',
  path: '/v1/keys/{id}',
  tag: 'Keys',
  summary: 'Revoke a key. It is refused within a second, and its sessions end.',
  auth: 'session',
  params: keyParams,
  answer: { kind: 'empty', status: 204 },
  errors: ['not_found'],
});
