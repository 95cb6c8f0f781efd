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
    ['many scripts without an end', seen(`<script>${'<script>'.repeat(30_000)}`), undefined],
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
      'a long challenge of Cloudflare in another language',
      seen(
        `<title>Einen Moment</title><script>window._cf_chl_opt={}</script><script>${'x'.repeat(110_000)}</script>`,
      ),
      'challenge',
    ],
    [
      'an answer of Incapsula',
      seen(
        '<p>Request unsuccessful. Incapsula incident ID: 12-34</p><script src="/_Incapsula_Resource?a"></script>',
      ),
      'challenge',
    ],
    [
      'a refusal of Akamai that answers 200',
      seen(
        '<title>Access Denied</title><h1>Access Denied</h1>You don’t have permission to access it. Reference #18.2f',
      ),
      'challenge',
    ],
    [
      'a question of Amazon',
      seen('<title>Robot Check</title><form action="/errors/validateCaptcha"></form>'),
      'challenge',
    ],
    [
      'a refusal of F5',
      seen('The requested URL was rejected. Please consult with your administrator.'),
      'challenge',
    ],
    [
      'a checkpoint of Vercel',
      seen('<title>Vercel Security Checkpoint</title><p>We’re verifying your browser</p>'),
      'challenge',
    ],
    [
      'a visitor page of Weibo',
      seen('<title>Sina Visitor System</title><script>visitor()</script>'),
      'challenge',
    ],
    ['a refusal of Reddit', seen("<p>You've been blocked by network security.</p>"), 'challenge'],
    [
      'a slider of AliExpress',
      seen('<p>Slide to verify</p><script src="/_____tmd_____/punish?x5secdata=1"></script>'),
      'challenge',
    ],
    [
      'a question of Google for consent',
      seen('<h1>Before you continue</h1><form action="https://consent.google.com/save"></form>'),
      'challenge',
    ],
    [
      'a wait without a vendor',
      seen('<title>Just a moment...</title><p>Enable JavaScript and cookies</p>'),
      'challenge',
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
    [
      'that quotes a challenge',
      seen(
        `<title>Just a moment: how walls work</title><p>${'They ask for cookies. '.repeat(40)}</p><pre>_cf_chl_opt cf-browser-verification</pre>`,
      ),
    ],
    [
      'of a small shop that Imperva watches',
      seen('<h1>Oars</h1><p>40 EUR</p><script src="/_Incapsula_Resource?a"></script>'),
    ],
    ['of a small shop that Kasada watches', seen('<h1>Oars</h1><script>window.KPSDK={}</script>')],
    [
      'of an app that Imperva watches',
      seen('<div id="root"></div><script src="/_Incapsula_Resource?a"></script>'),
    ],
    [
      'about a game with a telling name',
      seen('<title>Access Denied - board game</title><h1>Access Denied</h1><p>29.90 EUR</p>'),
    ],
    ['about a valve', seen('<title>Robot check valve</title><h1>Robot check valve</h1><p>12 EUR</p>')],
    [
      'with a moment in its title',
      seen('<title>Just a moment by Ana Lee</title><p>A song about a browser.</p>'),
    ],
    ['that a captcha guards a form of', seen('<h1>Write</h1><form><div class="g-recaptcha"></div></form>')],
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
