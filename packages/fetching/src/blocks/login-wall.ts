const LOGIN_PATH =
  /(^|[/._-])(log-?in|sign-?in|signup|sign-?up|authwall|auth|sso|checkpoint|challenge|uas|account\/begin)([/._-]|$)/i;

function isLoginPath(url: URL): boolean {
  return LOGIN_PATH.test(url.pathname);
}

const PASSWORD_FIELD = /<input\b[^>]{0,500}\btype\s*=\s*["']?password/i;

/** Whether a request for another page ended at a login form: a redirect to a login path with a password field. */
export function isLoginWall(requested: string, final: string, body: Uint8Array): boolean {
  if (requested === final) return false;
  const from = new URL(requested);
  const to = new URL(final);
  if (from.pathname === to.pathname && from.host === to.host) return false;
  if (isLoginPath(from) || !isLoginPath(to)) return false;
  return PASSWORD_FIELD.test(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1'));
}
