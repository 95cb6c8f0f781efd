import { createGuardedFetch } from '@gleaner/fetching/guarded-fetch';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openIdentityProvider, type IdentityProvider } from '../testing/identity-provider.ts';
import { createIssuerKeys } from './issuer-keys.ts';
import { verifyToken } from './token-verifier.ts';

const audience = 'https://gleaner.example/mcp';
let provider: IdentityProvider;
const closing: (() => Promise<void>)[] = [];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  provider = await openIdentityProvider(audience);
});
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closing.splice(0)) await close();
  await provider.close();
});

/** @param configured the addresses that the operator configured */
function openVerifier(jwksUrl?: string, configured = [provider.issuer]) {
  const { issuer } = provider;
  const fetch = createGuardedFetch('', configured);
  closing.push(() => fetch.close());
  const keys = createIssuerKeys({ issuer, jwksUrl, fetch, onFault: () => {} });
  return (token: string) => verifyToken(token, keys, { issuer, audience, algorithms: ['ES256'] });
}

test('a key that the issuer changed to is known half a minute later', async () => {
  const verify = openVerifier();
  expect(await verify(await provider.token({ sub: 'alice' }))).toMatchObject({ subject: 'alice' });
  await provider.rotate();
  await expect(verify(await provider.token())).rejects.toThrow(/invalid token/);
  vi.setSystemTime(Date.now() + 31_000);
  expect(await verify(await provider.token({ sub: 'bob' }))).toMatchObject({ subject: 'bob' });
  expect(provider.keysRead).toBe(2);
});

test('a key that the issuer took back is refused ten minutes later', async () => {
  const verify = openVerifier();
  const token = await provider.token({ expiresIn: 3600 });
  await verify(token);
  await provider.rotate();
  await verify(token);
  vi.setSystemTime(Date.now() + 601_000);
  await expect(verify(token)).rejects.toThrow(/invalid token/);
});

test('the address of the keys can be configured', async () => {
  const verify = openVerifier(`${provider.issuer}/keys`);
  expect(await verify(await provider.token())).toMatchObject({ subject: 'alice' });
});

test('a private address that only the metadata names is not asked', async () => {
  const inner = await openIdentityProvider(audience);
  closing.push(() => inner.close());
  provider.keysUrl = `${inner.issuer}/keys`;
  await expect(openVerifier()(await inner.token({ iss: provider.issuer }))).rejects.toThrow(
    /temporarily unavailable/,
  );
  expect(inner.keysRead).toBe(0);
});
