const LOGIN_PATH =
  /(^|[/._-])(log-?in|sign-?in|signup|sign-?up|authwall|auth|sso|checkpoint|challenge|uas|account\/begin)([/._-]|$)/i;

function isLoginPath(url: URL): boolean {
  return LOGIN_PATH.test(url.pathname);
}

const PASSWORD_TYPE = /\btype\s*=\s*["']?password/;

/** A login form stands at the beginning of its page. */
const MAX_SEARCHED_BYTES = 1_048_576;
/** The length of an `<input>` tag that is read. */
const MAX_TAG = 600;

/** Whether the page begins with a password field. Each tag is read alone, so that the time is linear in the page. */
function hasPasswordField(body: Uint8Array): boolean {
  const length = Math.min(body.byteLength, MAX_SEARCHED_BYTES);
  const text = Buffer.from(body.buffer, body.byteOffset, length).toString('latin1').toLowerCase();
  let at = text.indexOf('<input');
  while (at !== -1) {
    const next = text.indexOf('<', at + 1);
    const [tag = ''] = text.slice(at, Math.min(next === -1 ? length : next, at + MAX_TAG)).split('>', 1);
    if (PASSWORD_TYPE.test(tag)) return true;
    at = next === -1 ? -1 : text.indexOf('<input', next);
  }
  return false;
}

/** Whether a request for another page ended at a login form: a redirect to a login path with a password field. */
export function isLoginWall(requested: string, final: string, body: Uint8Array): boolean {
  if (requested === final) return false;
  const from = new URL(requested);
  const to = new URL(final);
  if (from.pathname === to.pathname && from.host === to.host) return false;
  if (isLoginPath(from) || !isLoginPath(to)) return false;
  return hasPasswordField(body);
}
