import { createHash, randomBytes } from 'node:crypto';

/** A token with 256 random bits. */
export function createToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored of a token. A second part binds it to a secret: when that changes, the token is worthless. */
export function digestToken(token: string, secret = ''): Buffer {
  return createHash('sha256').update(`${token}\0${secret}`).digest();
}
