/** Pages made to exhaust a parser, as large as the API takes them. Made when asked for: they are 16 MB each. */
const MEGABYTES_16 = 16 * 1024 * 1024;

const fill = (piece: string): string => piece.repeat(Math.floor(MEGABYTES_16 / piece.length));

const manyAttributes = (): string => {
  const names: string[] = [];
  let length = 0;
  for (let index = 0; length < MEGABYTES_16 - 100; index += 1) {
    const name = ` a${index}=b`;
    names.push(name);
    length += name.length;
  }
  return `<p${names.join('')}>x</p>`;
};

export const HOSTILE_PAGES: Readonly<Record<string, () => string>> = {
  'unclosed div': () => fill('<div>'),
  'unclosed b': () => fill('<b>'),
  'formatting elements reopened in each paragraph': () => fill('<a><b><i><p>'),
  'distinct formatting elements': () => fill('<b class=a><i class=b><u class=c><p>'),
  'unclosed font and p': () => fill('<font><p>'),
  'nested tables': () => fill('<table><tr><td>'),
  'text fostered out of a table': () => `<table>${fill('x<b>')}`,
  'fostered elements': () => `<table>${fill('<p>x')}`,
  'a flat table': () => `<table>${fill('<tr><td>cell<td>cell')}`,
  'a flat list of empty elements': () => fill('<i></i>'),
  'attributes on one element': manyAttributes,
  'one attribute name over and over': () => `<p ${fill('a=b ')}>`,
  'attributes on every element': () => fill(`<i ${'a b c d e f g h i j k l '.repeat(4)}></i>`),
  'one text': () => fill('word '),
  'one comment': () => `<!--${fill('- ')}-->`,
  'unclosed comments': () => fill('<!-- '),
  'tags cut off': () => fill('<a b="'),
  'less-than signs': () => fill('< '),
  'end tags without elements': () => fill('</p>'),
  'end tags of formatting elements': () => fill('<b></i>'),
  'references that never end': () => fill('&amp'),
  'numeric references': () => fill('&#x1F600;'),
  'unknown references': () => fill('&zzz;'),
  NULs: () => fill('\0'),
  'NULs between elements': () => fill('\0<p>'),
  'lone surrogates': () => fill('\ud800a'),
  'scripts in comments': () => fill('<script><!--<script>'),
  'script ends': () => `<script>${fill('</scrip')}`,
  'style without an end': () => `<style>${fill('</styl ')}`,
  'selects and options': () => fill('<select><option>'),
  svg: () => fill('<svg><g>'),
  'svg and html in turn': () => fill('<svg><foreignObject><p>'),
  templates: () => fill('<template>'),
  framesets: () => `<frameset>${fill('<frame>')}`,
  'list items': () => fill('<li>x'),
  headings: () => fill('<h1><h2>'),
  'nobr and a': () => fill('<nobr><a>'),
  'ruby and rt': () => fill('<ruby><rt>'),
  'JSON-LD of brackets': () => `<script type="application/ld+json">${fill('[')}</script>`,
  'JSON-LD of objects': () => `<script type="application/ld+json">${fill('{"a":')}</script>`,
  'script data of braces': () => `<script>window.x = ${fill('{a:')}</script>`,
  'script data that never parses': () => `<script>window.x = ${fill('{ ')}</script>`,
  'microdata nested': () => fill('<i itemscope itemprop=a>'),
  'microdata with references': () =>
    `<i id=a itemscope itemref="a b c">${fill('<i itemprop=a itemscope itemref=a></i>')}`,
  'meta tags': () => fill('<meta name=description content=x>'),
  'base elements': () => fill('<base href=x>'),
  'colspan and rowspan': () => `<table id=t>${fill('<tr><td colspan=1000 rowspan=65534>x')}`,
};
