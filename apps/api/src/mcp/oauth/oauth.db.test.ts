import { linkSubject, unlinkSubject, updateAccount } from '@gleaner/core';
import { createTestAccount } from '@gleaner/core/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openIdentityProvider, type Claims, type IdentityProvider } from '../testing/identity-provider.ts';
import { openTestMcp, type TestMcp } from '../testing/test-mcp.ts';

const AUDIENCE = 'https://gleaner.example/mcp';
const METADATA = 'https://gleaner.example/.well-known/oauth-protected-resource/mcp';

let provider: IdentityProvider;
let mcp: TestMcp;
let account: { accountId: string; apiKey: string };

beforeAll(async () => {
  provider = await openIdentityProvider(AUDIENCE);
  mcp = await openTestMcp({ oauthIssuer: provider.issuer, oauthAudience: AUDIENCE });
  account = await createTestAccount(mcp.services, { credits: 321 });
  await linkSubject(mcp.services.db, {
    accountId: account.accountId,
    issuer: provider.issuer,
    subject: 'alice',
  });
});
afterAll(async () => {
  await mcp.close();
  await provider.close();
});

interface Answer {
  status: number;
  challenge: string | null;
  text: string;
}

async function send(
  headers: Record<string, string>,
  body: unknown = { jsonrpc: '2.0', id: 1, method: 'tools/list' },
): Promise<Answer> {
  const answer = await fetch(mcp.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  });
  return {
    status: answer.status,
    challenge: answer.headers.get('www-authenticate'),
    text: await answer.text(),
  };
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

function callOf(name: string, args: Record<string, unknown> = {}): object {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
}

describe('the metadata', () => {
  test.each(['', '/mcp'])('is public at the well-known path%s', async (suffix) => {
    const answer = await fetch(new URL(`/.well-known/oauth-protected-resource${suffix}`, mcp.url));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(await answer.json()).toEqual({
      resource: AUDIENCE,
      authorization_servers: [provider.issuer],
      scopes_supported: ['gleaner:read', 'gleaner:write'],
      bearer_methods_supported: ['header'],
      resource_name: 'Gleaner',
    });
  });

  test('is named in the challenge of a request without a token', async () => {
    const { status, challenge } = await send({});
    expect(status).toBe(401);
    expect(challenge).toBe(`Bearer scope="gleaner:read gleaner:write", resource_metadata="${METADATA}"`);
  });
});

describe('a token', () => {
  test('opens the account of its subject for the official client', async () => {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(mcp.url), {
        requestInit: { headers: bearer(await provider.token()) },
      }),
    );
    const { structuredContent } = await client.callTool({ name: 'get_credits', arguments: {} });
    expect(structuredContent).toMatchObject({ result: { creditBalance: 321 } });
    const created = await client.callTool({
      name: 'create_parser',
      arguments: { name: 'by token', schema: { fields: { title: 'h1' } } },
    });
    expect(created.isError).not.toBe(true);
    await client.close();
  });

  const wrong: [string, Claims][] = [
    ['that has expired', { expiresIn: -60 }],
    ['without an expiry', { expiresIn: undefined }],
    ['that is not valid yet', { notBeforeIn: 600 }],
    ['of another issuer', { iss: 'https://other.example' }],
    ['for another audience', { aud: 'https://other.example/mcp' }],
    ['without a subject', { sub: undefined }],
    ['with a list of subjects', { sub: ['alice'] }],
    ['of the kind that ends a session', { typ: 'logout+jwt' }],
    ['of another kind', { typ: 'dpop+jwt' }],
    ['with an algorithm that is not configured', { algorithm: 'ES384' }],
  ];
  test.each(wrong)('%s is refused', async (_name, claims) => {
    const { status, challenge, text } = await send(bearer(await provider.token(claims)));
    expect(status).toBe(401);
    expect(JSON.parse(text)).toMatchObject({ error: 'invalid token' });
    expect(challenge).toContain('error="invalid_token"');
    expect(challenge).toContain(`resource_metadata="${METADATA}"`);
  });

  test('that nobody signed, or somebody else, is refused', async () => {
    const claims = { sub: 'alice', iss: provider.issuer, aud: AUDIENCE };
    const shared = new TextEncoder().encode('a secret of thirty-two characters');
    const tokens = [
      await provider.forgedToken(),
      new UnsecuredJWT(claims).setExpirationTime('5m').encode(),
      await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('5m').sign(shared),
      `${(await provider.token()).slice(0, -3)}AAA`,
      'not.a.token',
      'x'.repeat(15_000),
    ];
    for (const token of tokens) expect((await send(bearer(token))).status).toBe(401);
  });

  test('for several audiences, signed with RSA, is good', async () => {
    const token = await provider.token({ aud: ['https://other.example', AUDIENCE], algorithm: 'RS256' });
    expect((await send(bearer(token))).status).toBe(200);
  });

  test.each(['JWT', 'application/at+jwt', undefined])('of the kind %s is taken', async (typ) => {
    expect((await send(bearer(await provider.token({ typ })))).status).toBe(200);
  });

  test('of a subject without an account, or with a closed one, is 403', async () => {
    const { services } = mcp;
    const unknown = await send(bearer(await provider.token({ sub: 'mallory' })));
    expect(unknown.status).toBe(403);
    expect(JSON.parse(unknown.text)).toMatchObject({ error: 'unlinked subject' });
    // Names and identifiers of accounts are no subjects.
    expect((await send(bearer(await provider.token({ sub: account.accountId })))).status).toBe(403);

    const closed = await createTestAccount(services);
    const link = { accountId: closed.accountId, issuer: provider.issuer, subject: 'carol' };
    await linkSubject(services.db, link);
    const token = await provider.token({ sub: 'carol' });
    expect((await send(bearer(token))).status).toBe(200);
    await updateAccount(services.db, { account: closed.accountId, active: false });
    expect((await send(bearer(token))).status).toBe(403);
    await updateAccount(services.db, { account: closed.accountId, active: true });
    await unlinkSubject(services.db, link);
    expect((await send(bearer(token))).status).toBe(403);
  });

  test('with a subject that another issuer links opens nothing', async () => {
    await linkSubject(mcp.services.db, {
      accountId: account.accountId,
      issuer: 'https://other.example',
      subject: 'dave',
    });
    expect((await send(bearer(await provider.token({ sub: 'dave' })))).status).toBe(403);
  });

  test('opens neither /v1 nor the dashboard, wherever it is sent', async () => {
    const token = await provider.token();
    for (const headers of [bearer(token), { 'x-api-key': token }]) {
      const answer = await fetch(new URL('/v1/credits', mcp.url), { headers });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBeNull();
    }
    expect((await send({ 'x-api-key': token })).status).toBe(401);
  });

  test('is limited like a key of its account', async () => {
    const slow = await createTestAccount(mcp.services, { requestsPerMinute: 2 });
    const link = { accountId: slow.accountId, issuer: provider.issuer, subject: 'erin' };
    await linkSubject(mcp.services.db, link);
    const token = await provider.token({ sub: 'erin' });
    const statuses = [];
    for (let index = 0; index < 3; index += 1) statuses.push((await send(bearer(token))).status);
    expect(statuses).toEqual([200, 200, 429]);
  });
});

describe('scopes', () => {
  test('that are missing are named, so that the client can ask for them', async () => {
    const none = await send(bearer(await provider.token({ scope: 'openid' })));
    expect(none.status).toBe(403);
    expect(none.challenge).toContain('error="insufficient_scope", scope="gleaner:read"');

    const reader = bearer(await provider.token({ scope: 'openid gleaner:read' }));
    expect((await send(reader)).status).toBe(200);
    expect((await send(reader, callOf('get_credits'))).status).toBe(200);
    const write = callOf('create_parser', { name: 'x', schema: { fields: { a: 'b' } } });
    for (const body of [write, callOf('scrape')]) {
      const refused = await send(reader, body);
      expect(refused.status).toBe(403);
      expect(refused.challenge).toContain('scope="gleaner:read gleaner:write"');
      expect(refused.challenge).toContain(`resource_metadata="${METADATA}"`);
    }
  });

  test.each([[['gleaner:read', 'gleaner:write']], ['gleaner:read']])(
    'are also read from scp %j',
    async (scp) => {
      const token = await provider.token({ scope: undefined, scp });
      expect((await send(bearer(token))).status).toBe(200);
    },
  );
});

test('an API key still opens everything', async () => {
  for (const headers of [bearer(account.apiKey), { 'x-api-key': account.apiKey }]) {
    expect((await send(headers, callOf('get_credits'))).status).toBe(200);
  }
  const wrong = await send(bearer('gln_nonsense'));
  expect(wrong.status).toBe(401);
  expect(wrong.challenge).toContain('resource_metadata');
});

describe('the issuer’s keys', () => {
  test('are kept, and read again once when it signs with a new one', async () => {
    const own = await openIdentityProvider(AUDIENCE);
    const other = await openTestMcp({ oauthIssuer: own.issuer, oauthAudience: AUDIENCE });
    const ask = async (token: string) =>
      (
        await fetch(other.url, {
          method: 'POST',
          headers: { ...bearer(token), 'content-type': 'application/json' },
          body: '{}',
        })
      ).status;
    try {
      const token = await own.token();
      await Promise.all(Array.from({ length: 20 }, () => ask(token)));
      expect(own.keysRead).toBe(1);
      await own.rotate();
      // Within 30 s of a reading, a new key id is unknown, and no flood of such ids reaches the issuer.
      const statuses = await Promise.all(Array.from({ length: 20 }, async () => ask(await own.token())));
      expect(new Set(statuses)).toEqual(new Set([401]));
      expect(own.keysRead).toBe(1);
    } finally {
      await other.close();
      await own.close();
    }
  });

  test('that can’t be read are a temporary failure, while API keys go on', async () => {
    const own = await openIdentityProvider(AUDIENCE);
    own.isDown = true;
    const other = await openTestMcp({ oauthIssuer: own.issuer, oauthAudience: AUDIENCE });
    const key = await createTestAccount(other.services);
    const ask = (token: string) =>
      fetch(other.url, { method: 'POST', headers: { ...bearer(token), accept: '*/*' } });
    try {
      const away = await ask(await own.token());
      expect(away.status).toBe(503);
      expect(away.headers.get('retry-after')).not.toBeNull();
      expect((await ask(key.apiKey)).status).not.toBe(503);
    } finally {
      await other.close();
      await own.close();
    }
  });
});

test('without an issuer there is no metadata, and a token is an unknown key', async () => {
  const plain = await openTestMcp();
  try {
    const answer = await fetch(new URL('/.well-known/oauth-protected-resource', plain.url));
    expect(answer.status).toBe(404);
    const refused = await fetch(plain.url, { method: 'POST', headers: bearer(await provider.token()) });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
  } finally {
    await plain.close();
  }
});
