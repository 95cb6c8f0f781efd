import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestFetcher, type TestFetcher } from '../testing/test-fetcher.ts';
import { sendPage, startTestSite, type TestSite } from '../testing/test-site.ts';

let site: TestSite;
let other: TestSite;
let client: TestFetcher;

/** A page whose element `x-box` gets an open shadow root. */
function boxed(inside: string, light = ''): string {
  return `<!doctype html><title>t</title><x-box>${light}</x-box><script>
    customElements.define('x-box', class extends HTMLElement {
      connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = ${JSON.stringify(inside)}; }
    });</script>`;
}

const PAGES: Record<string, string> = {
  '/plain': boxed('<b class="a">42</b>'),
  '/slots': boxed(
    '<slot name="h">none</slot><i><slot></slot></i><slot name="z"><u>own</u></slot>',
    'light<em slot="h">head</em><s slot="q">lost</s>',
  ),
  '/nested': boxed('<div id="d"></div>').replace(
    '</script>',
    `const d = document.querySelector('x-box').shadowRoot.querySelector('#d');
     d.attachShadow({ mode: 'open' }).innerHTML = '<p class="deep">deep &amp; <b>bold</b></p>';</script>`,
  ),
  '/closed': boxed('<b>secret</b>').replace('open', 'closed'),
  '/declared':
    '<!doctype html><x-card><template shadowrootmode="open"><h2><slot></slot></h2></template>Lamp</x-card>',
  '/frame': '<!doctype html><p>top</p><iframe src="/inner/page"></iframe><p>after</p>',
  '/inner/page':
    '<!doctype html><title>inner</title><p class="in">inside</p><a href="next?q=1">n</a><x-q><template shadowrootmode="open"><b class="root">r</b></template></x-q>',
  '/srcdoc': `<!doctype html><iframe srcdoc="<p class='doc'>from srcdoc</p>"></iframe>`,
  '/sandboxed': '<!doctype html><iframe sandbox src="/inner/page"></iframe><p>top</p>',
  '/frameset':
    '<!doctype html><html><head><title>set</title></head><frameset cols="50%,50%"><frame src="/inner/page" name="left"><frame src="ELSEWHERE"></frameset></html>',
  '/two-deep': '<!doctype html><iframe src="/frame"></iframe>',
  '/written': `<!doctype html><iframe id="w"></iframe><script>
    document.querySelector('#w').contentDocument.body.innerHTML = '<p class="written">by script</p>';</script>`,
  '/elsewhere': '<!doctype html><p>top</p><iframe src="ELSEWHERE"></iframe>',
};

beforeAll(async () => {
  other = await startTestSite((_request, response) => sendPage(response, '<p>foreign</p>'));
  site = await startTestSite(({ url }, response) => {
    if (url === '/legacy') {
      const page = '<!doctype html><meta charset="windows-1251"><a href="/s?q=\u0436#top">\u0436</a>';
      response.writeHead(200, { 'content-type': 'text/html' });
      // The letter's byte in windows-1251.
      response.end(Buffer.from(page.replaceAll('\u0436', '\u00e6'), 'latin1'));
    } else
      sendPage(
        response,
        (PAGES[url] ?? '<p>none</p>').replace('ELSEWHERE', `http://localhost:${other.port}/`),
      );
  });
  client = await createTestFetcher(`${site.host},localhost:${other.port}`);
});

afterAll(async () => {
  await client.fetcher.close();
  await site.close();
  await other.close();
});

async function read(path: string, config = {}): Promise<string> {
  const page = await client.fetch(site.origin + path, { useBrowser: true, ...config });
  return Buffer.from(page.body).toString();
}

describe('a page in a browser', () => {
  it.each([
    ['/plain', '<x-box><b class="a">42</b></x-box>'],
    [
      '/slots',
      '<x-box><slot name="h"><em slot="h">head</em></slot><i><slot>light</slot></i><slot name="z"><u>own</u></slot></x-box>',
    ],
    ['/nested', '<x-box><div id="d"><p class="deep">deep &amp; <b>bold</b></p></div></x-box>'],
    ['/closed', '<x-box></x-box>'],
    ['/declared', '<x-card><h2><slot>Lamp</slot></h2></x-card>'],
  ])('has its open shadow roots inside their hosts: %s', async (path, expected) => {
    expect(await read(path)).toContain(expected);
  });

  it('has no shadow root where they are not composed', async () => {
    expect(await read('/plain', { composed: false })).toContain('<x-box></x-box>');
    expect(await read('/frame', { composed: false })).not.toContain('inside');
  });

  it('has frames of its site behind their elements, with absolute addresses', async () => {
    const html = await read('/frame');
    expect(html).toContain(
      `<iframe src="/inner/page"></iframe><gleaner-frame src="${site.origin}/inner/page"><p class="in">inside</p>`,
    );
    expect(html).toContain(`<a href="${site.origin}/inner/next?q=1">`);
    expect(html).toContain('<x-q><b class="root">r</b></x-q></gleaner-frame><p>after</p>');
    expect(html).not.toContain('<title>inner');
  });

  it.each([
    ['/srcdoc', '<gleaner-frame src="about:srcdoc"><p class="doc">from srcdoc</p></gleaner-frame>'],
    ['/written', '<p class="written">by script</p></gleaner-frame>'],
    ['/two-deep', '<p class="in">inside</p>'],
  ])('has frames without an address of their own, and frames in frames: %s', async (path, expected) => {
    expect(await read(path)).toContain(expected);
  });

  it('has the frames of a frameset in its body, and the others as links', async () => {
    const html = await read('/frameset');
    expect(html).toMatch(
      /<body cols="50%,50%"><iframe src="\/inner\/page" name="left"><\/iframe><gleaner-frame /,
    );
    expect(html).toContain('<p class="in">inside</p>');
    expect(html).toContain(`<iframe src="http://localhost:${other.port}/"></iframe></body>`);
  });

  it.each(['/sandboxed', '/elsewhere'])(
    'has no frame that is sandboxed or of another site: %s',
    async (path) => {
      const html = await read(path);
      expect(html).toContain('<p>top</p>');
      expect(html).not.toContain('gleaner-frame');
    },
  );

  it('sends queries of its links in its encoding', async () => {
    expect(await read('/legacy')).toContain('<a href="/s?q=%E6#top">\u0436</a>');
  });
});
