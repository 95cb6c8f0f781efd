import { tests } from 'commonmark-spec';
import { micromark } from 'micromark';
import { expect, it } from 'vitest';
import { compileParser } from '../check-schema.ts';
import { extract } from '../engine/extract.ts';
import { innerHtmlOf, parseHtml } from '@gleaner/html';

const PARSER = compileParser({ fields: { md: { css: 'body', type: 'markdown' } } });
/** The examples of HTML inside Markdown are read as texts: Markdown that we write has no HTML. */
const WITHOUT_HTML = { extensions: [{ disable: { null: ['htmlFlow', 'htmlText'] } }] };

/** The page as a browser shows it: white space between blocks and at line ends means nothing. */
function shown(html: string): string {
  const document = parseHtml(`<body>${html}`);
  const body = document.elements.find(({ localName }) => localName === 'body');
  const written = body === undefined ? '' : innerHtmlOf(document, body);
  return written
    .split(/(<pre>.*?<\/pre>)/s)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/\s+/g, ' ')))
    .join('')
    .replaceAll(/ ?(<\/?(?:blockquote|br|h\d|hr|li|ol|p|pre|ul)\b[^>]*>) ?/g, '$1')
    .trim();
}

function markdownOf(html: string): string {
  const result = extract(PARSER, { body: `<body>${html}` });
  const markdown = result.ok ? result.data['md'] : undefined;
  return typeof markdown === 'string' ? markdown : '';
}

it('gives back the HTML of 95 % of the examples of CommonMark', () => {
  const lost = tests.filter(({ markdown }) => {
    const html = micromark(markdown, WITHOUT_HTML);
    return shown(micromark(markdownOf(html), WITHOUT_HTML)) !== shown(html);
  });
  expect(lost.map(({ number }) => number).length / tests.length).toBeLessThan(0.05);
});
