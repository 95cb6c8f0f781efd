import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignedJson, parseJson } from './json.ts';
import { metaOf, scriptById } from './html.ts';
import { clockText, readCount, timeOfId } from './text.ts';
import { siteAddress } from './url.ts';
import { objectsOf } from './value.ts';

const object = fc.dictionary(fc.string(), fc.jsonValue());

describe('embedded JSON', () => {
  it('is cut out of script text, whatever its strings contain', () => {
    fc.assert(
      fc.property(object, (value) => {
        const script = `foo('data = {'); var data = ${JSON.stringify(value)};</script> var data = {"later":1};`;
        expect(assignedJson(script, 'data')).toEqual(parseJson(JSON.stringify(value)));
      }),
    );
  });

  it('is found in its script element, whatever its strings contain', () => {
    fc.assert(
      fc.property(object, (value) => {
        const json = JSON.stringify(value).replaceAll('<', String.raw`\u003C`);
        const page = `<script>var id="data";</script><script type='application/json' id="data">${json}</script>`;
        expect(scriptById(page, 'data')).toEqual(parseJson(JSON.stringify(value)));
      }),
    );
  });

  it('reads names in brackets and JSON inside a script string', () => {
    expect(assignedJson('window["data"] = {"a":1};', 'data')).toEqual({ a: 1 });
    expect(assignedJson(String.raw`var data = '\x7b\x22a\x22:\x22\u00e9\x22\x7d';`, 'data')).toEqual({
      a: 'é',
    });
    expect(assignedJson('if (data == 1) {} data = {"a":', 'data')).toBeUndefined();
  });

  it('keeps every digit of long ids and leaves other numbers unchanged', () => {
    expect(parseJson('{"id":17841400373013723123,"n":1.5,"list":[3700000000000000001,2]}')).toEqual({
      id: '17841400373013723123',
      n: 1.5,
      list: ['3700000000000000001', 2],
    });
    expect(parseJson('{"text":"id: 17841400373013723123, x"}')).toEqual({
      text: 'id: 17841400373013723123, x',
    });
  });

  it('is walked in document order to any depth', () => {
    let nested: object = { last: true };
    for (let depth = 0; depth < 20_000; depth += 1) nested = { nested };
    expect([...objectsOf(nested)]).toHaveLength(20_001);
    expect(
      [...objectsOf({ a: [{ n: 1 }, { n: 2, b: { n: 3 } }], c: { n: 4 } })].flatMap(
        (node) => node['n'] ?? [],
      ),
    ).toEqual([1, 2, 3, 4]);
  });
});

describe('texts', () => {
  it.each([
    ['1,234', 1234],
    ['26k', 26_000],
    ['26K views', 26_000],
    ['1.6m', 1_600_000],
    ['3.8 million views', 3_800_000],
    ['2B', 2_000_000_000],
    ['895 thousand', 895_000],
    ['1\u00A0K', 1000],
    ['0', 0],
    ['1.234', null],
    ['1.077.715 visualizaciones', null],
    ['12,34', null],
    ['x1', null],
    ['', null],
  ])('%s is %s', (text, count) => {
    expect(readCount(text)).toBe(count);
  });

  it('reads every number formatted in English', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2_000_000_000 }), (count) => {
        expect(readCount(`${count.toLocaleString('en-US')} views`)).toBe(count);
      }),
    );
  });

  it('writes lengths as a clock', () => {
    expect([0, null, 5, 65, 3600, 3725, 360_000].map(clockText)).toEqual([
      null,
      null,
      '0:05',
      '1:05',
      '1:00:00',
      '1:02:05',
      '100:00:00',
    ]);
  });

  it('reads the creation time of an id', () => {
    expect(timeOfId('7463608443963318272', 22)).toBe(Date.parse('2026-05-22T15:15:20.180Z'));
    expect(timeOfId('12', 22)).toBeNull();
  });

  it('reads meta elements in any order of attributes and with any quotes', () => {
    const metas = metaOf(
      `<meta content='a "b" &amp; c' name=description><META property="og:title" content="&#064;x &lt;">`,
    );
    expect(Object.fromEntries(metas)).toEqual({ description: 'a "b" & c', 'og:title': '@x <' });
  });
});

describe('addresses', () => {
  const site = { hosts: ['youtube.com'], origin: 'http://127.0.0.1:4701' };
  it('are never accepted from another host', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (url) => {
        const accepted = siteAddress(url, site);
        expect(accepted === undefined || /^(?:.*\.)?youtube\.com$/.test(accepted.hostname)).toBe(true);
      }),
    );
  });

  it.each([
    ['http://127.0.0.1:4701/watch', true],
    ['http://127.0.0.1:4702/watch', false],
    ['http://127.0.0.1/watch', false],
    ['https://music.youtube.com/watch', true],
    ['youtube.com/watch', true],
    ['/watch?v=1', true],
    ['//evil.example/watch', false],
    ['https://notyoutube.com/', false],
    ['https://youtube.com.evil.example/', false],
    ['https://youtube.com:444/', false],
    ['https://a@youtube.com/', false],
    ['http://a@127.0.0.1:4701/', false],
    ['ftp://youtube.com/', false],
    ['', false],
  ])('%s: %s', (written, isAccepted) => {
    expect(siteAddress(written, site) !== undefined).toBe(isAccepted);
  });
});
