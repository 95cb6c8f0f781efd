import { createHash, randomBytes } from 'node:crypto';

/** A token with 256 random bits. */
export function createToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The stored digest of a token. A second part binds it to a secret, so the token is invalid when the secret changes. */
export function digestToken(token: string, secret = ''): Buffer {
  return createHash('sha256').update(`${token}\0${secret}`).digest();
}
