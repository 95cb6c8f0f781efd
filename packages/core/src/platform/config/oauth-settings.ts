import { z } from 'zod';
import { setting, url } from './setting.ts';

/** Signatures by a private key that only the issuer has. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA'.split(' ');

/** OAuth access tokens at `/mcp`. */
export const OAUTH_SETTINGS = {
  oauthIssuer: setting(
    'GLEANER_OAUTH_ISSUER',
    url(['http', 'https']).optional(),
    'Issuer of the OAuth access tokens that open `/mcp`, exactly as in their `iss`.',
    'no OAuth',
  ),
  oauthAudience: setting(
    'GLEANER_OAUTH_AUDIENCE',
    url(['http', 'https']).optional(),
    'Address of `/mcp` that clients use: the `aud` of access tokens.',
    'no OAuth',
  ),
  oauthAlgorithms: setting(
    'GLEANER_OAUTH_ALGORITHMS',
    z
      .string()
      .default('RS256,PS256,ES256,EdDSA')
      .transform((text) => text.split(/[\s,]+/).filter((part) => part !== ''))
      .pipe(z.array(z.enum(ALGORITHMS)).min(1)),
    'Signature algorithms of access tokens.',
  ),
  oauthJwksUrl: setting(
    'GLEANER_OAUTH_JWKS_URL',
    url(['http', 'https']).optional(),
    "Address of the issuer's public keys.",
    "as in the issuer's metadata",
  ),
} as const;
