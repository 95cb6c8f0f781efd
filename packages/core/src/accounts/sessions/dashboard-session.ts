import { AppError } from '@gleaner/contracts';
import type { Browser, Context, Services, SessionKind, Perform, InputOf } from '../../platform/context.ts';
import type { RateLimiter } from '../../platform/rate-limits/rate-limiter.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { checkPassword } from './check-password.ts';
import {
  endSession,
  findAccountSession,
  isOperatorSession,
  OPERATOR_SESSION_SECONDS,
  openAccountSession,
  openOperatorSession,
  SESSION_SECONDS,
  redeemSignInLink,
} from './sessions.ts';

/** Sign-ins that one network may try a minute. */
const TRIES_PER_MINUTE = 30;

type SessionContext = Context<Services & { keys: KeyRing; rateLimiter: RateLimiter }>;

function browserOf({ browser }: Context): Browser {
  if (browser) return browser;
  throw new Error('only a door with cookies offers the operations of sessions');
}

/** @throws AppError unauthorized when the key or link is not valid, rate_limit_exceeded */
export async function signIn(ctx: SessionContext, { body }: InputOf<'signIn'>): Promise<void> {
  const { db, keys, rateLimiter } = ctx.services;
  const browser = browserOf(ctx);
  await rateLimiter.consume(`sign-in:${browser.network}`, TRIES_PER_MINUTE);
  const { keyId } =
    'link' in body ? await redeemSignInLink(db, body.link) : await keys.authenticate(body.api_key);
  const token = await openAccountSession(db, keyId);
  browser.setSession('account', { token, maxAgeSeconds: SESSION_SECONDS });
}

/** Whether the browser has an operator's session that was opened with the current password. */
export async function isOperator(
  { config, db }: Pick<Services, 'config' | 'db'>,
  browser: Pick<Browser, 'readSession'>,
): Promise<boolean> {
  const token = browser.readSession('operator');
  if (token === undefined || config.operatorPassword === undefined) return false;
  return isOperatorSession(db, token, config.operatorPassword);
}

export const getSession: Perform<'getSession'> = async (ctx) => {
  const token = browserOf(ctx).readSession('account') ?? '';
  const session = await findAccountSession(ctx.services.db, token);
  return {
    account: { id: session.accountId, name: session.accountName },
    key: { id: session.keyId, name: session.keyName, shown: session.keyShown },
    sends_email: ctx.services.config.smtpUrl !== undefined,
  };
};

export const getOperatorSession: Perform<'getOperatorSession'> = async (ctx) => ({
  is_operator: await isOperator(ctx.services, browserOf(ctx)),
});

async function endSessionOf(ctx: Context, kind: SessionKind, password?: string): Promise<void> {
  const browser = browserOf(ctx);
  const token = browser.readSession(kind);
  if (token !== undefined) await endSession(ctx.services.db, token, password);
  browser.clearSession(kind);
}

export function signOut(ctx: Context): Promise<void> {
  return endSessionOf(ctx, 'account');
}

/** @throws AppError unauthorized for a wrong password, rate_limit_exceeded */
export async function signInOperator(
  ctx: SessionContext,
  { body: { password } }: InputOf<'signInOperator'>,
): Promise<void> {
  const { config, db, rateLimiter } = ctx.services;
  const browser = browserOf(ctx);
  const { operatorPassword: expected } = config;
  if (
    expected === undefined ||
    !(await checkPassword(rateLimiter, browser.network, { given: password, expected }))
  )
    throw new AppError('unauthorized', {
      detail: 'this is not the operator’s password',
      hint: 'The password is in credentials.json of the data folder.',
    });
  const token = await openOperatorSession(db, expected);
  browser.setSession('operator', { token, maxAgeSeconds: OPERATOR_SESSION_SECONDS });
}

export function signOutOperator(ctx: Context): Promise<void> {
  return endSessionOf(ctx, 'operator', ctx.services.config.operatorPassword);
}
