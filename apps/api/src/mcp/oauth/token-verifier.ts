import { AppError } from '@gleaner/contracts';
import { MAX_SUBJECT_CHARACTERS } from '@gleaner/core';
import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';

/** Between the clocks of the issuer and this machine. */
const CLOCK_TOLERANCE_SECONDS = 10;
/** `typ` of access tokens, in lower case; many issuers use the general type or none. */
const TYPES: ReadonlySet<unknown> = new Set([undefined, 'jwt', 'at+jwt', 'application/at+jwt']);
/** Longer tokens are refused unread. */
const MAX_CHARACTERS = 16_384;

export interface VerifiedToken {
  subject: string;
  scopes: ReadonlySet<string>;
}

/** The scopes of a token: `scope` by RFC 9068, `scp` with some issuers, as a text or a list. */
function scopesOf({ scope, scp }: JWTPayload): ReadonlySet<string> {
  const given = scope ?? scp;
  if (Array.isArray(given)) return new Set(given.filter((part) => typeof part === 'string'));
  return new Set(typeof given === 'string' ? given.split(' ').filter((part) => part !== '') : []);
}

function refused(detail: string): AppError {
  return new AppError('invalid_token', { detail });
}

/** What is wrong with a token, in words that are the same for every token with this fault. */
function explain(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'it has expired';
  if (error instanceof errors.JWTClaimValidationFailed) return `its claim ${error.claim} is not as expected`;
  if (error instanceof errors.JOSEAlgNotAllowed) return 'its signature algorithm is not allowed';
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    return 'its issuer has no key for it';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'its signature is wrong';
  return 'it is not a signed JWT';
}

/** Faults of the issuer's answer, for which the token can't be blamed. */
function isIssuerFault(error: unknown): boolean {
  return error instanceof errors.JWKSInvalid || error instanceof errors.JWKSTimeout;
}

/**
 * Checks an access token: signature, algorithm, issuer, audience, expiry; a subject is required.
 * @throws AppError invalid_token, temporarily_unavailable
 */
export async function verifyToken(
  token: string,
  keys: JWTVerifyGetKey,
  { issuer, audience, algorithms }: { issuer: string; audience: string; algorithms: readonly string[] },
): Promise<VerifiedToken> {
  if (token.length > MAX_CHARACTERS) throw refused('it is too long');
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms: [...algorithms],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ['exp', 'sub'],
    });
    if (!TYPES.has(protectedHeader.typ?.toLowerCase())) throw refused('it is not an access token');
    // jose checks only that there is one.
    const sub: unknown = payload.sub;
    if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT_CHARACTERS)
      throw refused('its claim sub is not as expected');
    return { subject: sub, scopes: scopesOf(payload) };
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof errors.JOSEError && !isIssuerFault(error)) throw refused(explain(error));
    throw new AppError('temporarily_unavailable', {
      detail: 'the keys of the OAuth issuer could not be read',
      cause: error,
    });
  }
}
