import { z } from 'zod';
import { defineOperation } from '../operation.ts';

const BODY_LIMIT_BYTES = 4_096;

export const signIn = defineOperation({
  id: 'signIn',
  method: 'POST',
  path: '/session',
  tag: 'Session',
  summary: 'Sign in with an API key or a one-time link. The response sets the session’s cookie.',
  auth: 'page',
  body: z.union(
    [
      z.strictObject({ api_key: z.string().trim().min(1).max(200) }),
      z.strictObject({ link: z.string().min(1).max(200) }),
    ],
    'must hold api_key or link',
  ),
  bodyLimitBytes: BODY_LIMIT_BYTES,
  answer: { kind: 'empty', status: 204 },
  errors: ['unauthorized'],
});

export const getSession = defineOperation({
  id: 'getSession',
  method: 'GET',
  path: '/session',
  tag: 'Session',
  summary: 'The account and key that are signed in.',
  auth: 'session',
  answer: {
    kind: 'json',
    status: 200,
    schema: z.object({
      account: z.object({ id: z.string(), name: z.string() }),
      key: z.object({ id: z.string(), name: z.string(), shown: z.string() }),
      is_operator: z.boolean().describe('Whether an operator is signed in too.'),
    }),
  },
  errors: [],
});

export const signOut = defineOperation({
  id: 'signOut',
  method: 'DELETE',
  path: '/session',
  tag: 'Session',
  summary: 'End the session. Does nothing when nobody is signed in.',
  auth: 'page',
  answer: { kind: 'empty', status: 204 },
  errors: [],
});

export const signInOperator = defineOperation({
  id: 'signInOperator',
  method: 'POST',
  path: '/session/operator',
  tag: 'Operator',
  summary:
    'Sign in as the operator. This session is separate: neither session gives the rights of the other.',
  auth: 'page',
  body: z.strictObject({ password: z.string().min(1).max(1000) }),
  bodyLimitBytes: BODY_LIMIT_BYTES,
  answer: { kind: 'empty', status: 204 },
  errors: ['unauthorized'],
});

export const signOutOperator = defineOperation({
  id: 'signOutOperator',
  method: 'DELETE',
  path: '/session/operator',
  tag: 'Operator',
  summary: 'End the operator’s session.',
  auth: 'page',
  answer: { kind: 'empty', status: 204 },
  errors: [],
});
