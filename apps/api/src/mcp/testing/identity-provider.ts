import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';

interface SigningKey {
  id: string;
  algorithm: string;
  secret: CryptoKey;
  published: object;
}

/** The claims of a token; the others are right. */
export interface Claims {
  sub?: unknown;
  /** `typ` in the header of the token. */
  typ?: string | undefined;
  scope?: string | undefined;
  scp?: string | string[];
  iss?: string;
  aud?: string | string[];
  /** Seconds from now; undefined leaves it out. */
  expiresIn?: number | undefined;
  notBeforeIn?: number;
  algorithm?: string;
}

// A wrong issuer may send anything.
function asText(value: unknown): string {
  return value as string;
}

/** An authorization server for tests: metadata, public keys, and tokens for whom a test names. */
export interface IdentityProvider {
  issuer: string;
  /** How often its keys were read. */
  keysRead: number;
  /** Every answer is 503. */
  isDown: boolean;
  /** The address of its keys in its metadata. */
  keysUrl: string;
  /** Signs with a new key from now on; old ones are no longer published. */
  rotate(): Promise<void>;
  token(claims?: Claims): Promise<string>;
  /** A token signed by a key that only claims to be the provider's. */
  forgedToken(): Promise<string>;
  close(): Promise<void>;
}

export async function openIdentityProvider(audience: string): Promise<IdentityProvider> {
  let keys: SigningKey[] = [];
  let made = 0;
  const makeKey = async (algorithm: string): Promise<SigningKey> => {
    const { publicKey, privateKey } = await generateKeyPair(algorithm);
    const id = `key-${(made += 1)}`;
    return {
      id,
      algorithm,
      secret: privateKey,
      published: { ...(await exportJWK(publicKey)), kid: id, alg: algorithm, use: 'sig' },
    };
  };
  const rotate = async (): Promise<void> => {
    keys = await Promise.all(['ES256', 'RS256', 'ES384'].map(makeKey));
  };
  await rotate();

  const sign = async (key: SigningKey | undefined, claims: Claims): Promise<string> => {
    if (!key) throw new Error('no such key');
    const { sub = 'alice', scope = 'gleaner:read gleaner:write', scp, iss, aud = audience } = claims;
    const now = Math.floor(Date.now() / 1000);
    const expiresIn = 'expiresIn' in claims ? claims.expiresIn : 300;
    return new SignJWT({
      ...('sub' in claims && claims.sub === undefined ? {} : { sub: asText(sub) }),
      ...('scope' in claims && claims.scope === undefined ? {} : { scope }),
      ...(scp === undefined ? {} : { scp }),
      iss: iss ?? provider.issuer,
      aud,
      iat: now,
      ...(expiresIn === undefined ? {} : { exp: now + expiresIn }),
      ...(claims.notBeforeIn === undefined ? {} : { nbf: now + claims.notBeforeIn }),
    })
      .setProtectedHeader({
        alg: key.algorithm,
        kid: key.id,
        ...('typ' in claims ? (claims.typ === undefined ? {} : { typ: claims.typ }) : { typ: 'at+jwt' }),
      })
      .sign(key.secret);
  };

  const server = createServer((request, response) => {
    const documents: Record<string, () => object> = {
      '/tenant/.well-known/openid-configuration': () => ({
        issuer: provider.issuer,
        jwks_uri: provider.keysUrl,
      }),
      '/tenant/keys': () => {
        provider.keysRead += 1;
        return { keys: keys.map(({ published }) => published) };
      },
    };
    const document = documents[request.url ?? ''];
    const isFound = document !== undefined && !provider.isDown;
    response.writeHead(provider.isDown ? 503 : isFound ? 200 : 404, { 'content-type': 'application/json' });
    response.end(isFound ? JSON.stringify(document()) : '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');

  const issuer = `http://127.0.0.1:${address.port}/tenant`;
  const provider: IdentityProvider = {
    issuer,
    keysUrl: `${issuer}/keys`,
    keysRead: 0,
    isDown: false,
    rotate,
    token: (claims = {}) =>
      sign(
        keys.find(({ algorithm }) => algorithm === (claims.algorithm ?? 'ES256')),
        claims,
      ),
    forgedToken: async () => {
      const [known] = keys;
      return sign({ ...(await makeKey('ES256')), id: known?.id ?? '' }, {});
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}
