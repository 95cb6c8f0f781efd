import { z } from 'zod';
import { operationsOf, json } from '../define-operation.ts';

const defineBeforeSignIn = operationsOf({ tag: 'Session', auth: 'page' });
const defineInSession = operationsOf({ tag: 'Session', auth: 'session' });
const defineForOperator = operationsOf({ tag: 'Operator', auth: 'page' });

const BODY_LIMIT_BYTES = 4_096;

export const signIn = defineBeforeSignIn('signIn', 'POST /session', {
  summary: 'Sign in with an API key or a one-time link. The response sets the session’s cookie.',
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

export const getSession = defineInSession('getSession', 'GET /session', {
  summary: 'The account and key that are signed in.',
  answer: json(
    z.object({
      account: z.object({ id: z.string(), name: z.string() }),
      key: z.object({ id: z.string(), name: z.string(), shown: z.string() }),
      sends_email: z.boolean().describe('Whether a mail server is set, for alerts by e-mail.'),
    }),
  ),
});

export const signOut = defineBeforeSignIn('signOut', 'DELETE /session', {
  summary: 'End the session. Does nothing when nobody is signed in.',
  answer: { kind: 'empty', status: 204 },
});

export const signInOperator = defineForOperator('signInOperator', 'POST /session/operator', {
  summary:
    'Sign in as the operator. This session is separate: neither session gives the rights of the other.',
  body: z.strictObject({ password: z.string().min(1).max(1000) }),
  bodyLimitBytes: BODY_LIMIT_BYTES,
  answer: { kind: 'empty', status: 204 },
  errors: ['unauthorized'],
});

export const getOperatorSession = defineForOperator('getOperatorSession', 'GET /session/operator', {
  summary: 'Whether an operator is signed in. An account’s session is not needed.',
  answer: json(z.object({ is_operator: z.boolean() })),
});

export const signOutOperator = defineForOperator('signOutOperator', 'DELETE /session/operator', {
  summary: 'End the operator’s session.',
  answer: { kind: 'empty', status: 204 },
});
