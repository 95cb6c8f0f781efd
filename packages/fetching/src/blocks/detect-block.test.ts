import { describe, expect, it } from 'vitest';
import { detectBlock, type SeenPage } from './detect-block.ts';

function seen(html: string, more: Partial<SeenPage> = {}): SeenPage {
  return {
    url: 'https://shop.example.com/item/1',
    finalUrl: 'https://shop.example.com/item/1',
    status: 200,
    headers: {},
    contentType: 'text/html',
    body: Buffer.from(html),
    ...more,
  };
}

const LOGIN_FORM = '<form><input name="user"><input name="pass" type="password"></form>';

describe('a page that pumps the patterns', () => {
  const final = { finalUrl: 'https://shop.example.com/login' };
  it.each<[string, SeenPage, string | undefined]>([
    ['inputs without an end', seen('<input '.repeat(2_000_000), final), undefined],
    ['types without an end', seen(`<input ${'type= '.repeat(1_000_000)}`, final), undefined],
    [
      'a password after many inputs',
      seen('<input '.repeat(1_000) + '<INPUT TYPE=Password>', final),
      'login_wall',
    ],
    ['scripts without an end', seen(`document.cookie${'<script '.repeat(900)}`), undefined],
  ])('%s', (_what, page, kind) => {
    expect(detectBlock(page)?.kind).toBe(kind);
  });
});

describe('a block is seen', () => {
  it.each<[string, SeenPage, string]>([
    ['a status that says so', seen('no', { status: 403 }), 'status'],
    ['a request for a login', seen('no', { status: 401 }), 'status'],
    ['too many requests', seen('no', { status: 429 }), 'status'],
    [
      'a challenge by its header',
      seen('wait', { status: 403, headers: { 'cf-mitigated': 'challenge' } }),
      'challenge',
    ],
    ['a challenge that answers 200', seen('<script>window._cf_chl_opt={}</script>'), 'challenge'],
    ['a captcha page', seen('<div id="px-captcha"></div>', { status: 403 }), 'challenge'],
    ['an interstitial frame', seen('<iframe src="/_Incapsula_Resource?x=1"></iframe>'), 'challenge'],
    [
      'a check that sets a cookie and loads again',
      seen('<html><script>document.cookie="a=1";location.reload()</script></html>'),
      'empty_shell',
    ],
    [
      'a redirect to a login form',
      seen(LOGIN_FORM, { finalUrl: 'https://shop.example.com/account/login?next=%2Fitem%2F1' }),
      'login_wall',
    ],
  ])('in %s', (_name, page, kind) => {
    const block = detectBlock(page);
    expect(block?.kind).toBe(kind);
    expect(block?.evidence).not.toBe('');
  });
});

describe('a page is a page', () => {
  it.each<[string, SeenPage]>([
    ['with a search form', seen('<p>things</p><form><input name="q"></form>')],
    ['that offers a login', seen(`<h1>Item</h1>${LOGIN_FORM}`)],
    [
      'when the login page itself was asked for',
      seen(LOGIN_FORM, { url: 'https://a.example.com/login', finalUrl: 'https://a.example.com/login/' }),
    ],
    [
      'that loads a vendor’s script',
      seen('<p>x</p><script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>'),
    ],
    ['about challenges', seen(`<p>${'how _cf_chl_opt works '.repeat(2_000)}</p>`)],
    ['that a script will fill', seen('<div id="root"></div><script src="/app.js"></script>')],
    ['that writes itself', seen('<script>document.body.innerHTML = "<p>written</p>"</script>')],
    [
      'that keeps a cookie',
      seen('<p>shown</p><script>document.cookie="a=1"; if (x) location.href="/y"</script>'),
    ],
    ['that is missing', seen('gone', { status: 404 })],
    ['with DataDome’s header on a good answer', seen('<p>x</p>', { headers: { 'x-datadome': 'protected' } })],
    ['with nothing in it, which runs no check', seen('')],
    ['of JSON without anything in it', seen('', { contentType: 'application/json' })],
  ])('%s', (_name, page) => {
    expect(detectBlock(page)).toBeUndefined();
  });
});
