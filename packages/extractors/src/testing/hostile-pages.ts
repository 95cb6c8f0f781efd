type Fill = (piece: string) => string;

function manyAttributes(bytes: number): string {
  const names: string[] = [];
  let length = 0;
  for (let index = 0; length < bytes; index += 1) {
    const name = ` a${index}=b`;
    names.push(name);
    length += name.length;
  }
  return `<p${names.join('')}>x</p>`;
}

const PAGES: Readonly<Record<string, (fill: Fill, bytes: number) => string>> = {
  'unclosed div': (fill) => fill('<div>'),
  'unclosed b': (fill) => fill('<b>'),
  'formatting elements reopened in each paragraph': (fill) => fill('<a><b><i><p>'),
  'distinct formatting elements': (fill) => fill('<b class=a><i class=b><u class=c><p>'),
  'unclosed font and p': (fill) => fill('<font><p>'),
  'nested tables': (fill) => fill('<table><tr><td>'),
  'text fostered out of a table': (fill) => `<table>${fill('x<b>')}`,
  'fostered elements': (fill) => `<table>${fill('<p>x')}`,
  'a flat table': (fill) => `<table>${fill('<tr><td>cell<td>cell')}`,
  'a flat list of empty elements': (fill) => fill('<i></i>'),
  'attributes on one element': (_fill, bytes) => manyAttributes(bytes),
  'one attribute name over and over': (fill) => `<p ${fill('a=b ')}>`,
  'attributes on every element': (fill) => fill(`<i ${'a b c d e f g h i j k l '.repeat(4)}></i>`),
  'one text': (fill) => fill('word '),
  'one comment': (fill) => `<!--${fill('- ')}-->`,
  'unclosed comments': (fill) => fill('<!-- '),
  'tags cut off': (fill) => fill('<a b="'),
  'less-than signs': (fill) => fill('< '),
  'end tags without elements': (fill) => fill('</p>'),
  'end tags of formatting elements': (fill) => fill('<b></i>'),
  'references that never end': (fill) => fill('&amp'),
  'numeric references': (fill) => fill('&#x1F600;'),
  'unknown references': (fill) => fill('&zzz;'),
  NULs: (fill) => fill('\0'),
  'NULs between elements': (fill) => fill('\0<p>'),
  'lone surrogates': (fill) => fill('\ud800a'),
  'scripts in comments': (fill) => fill('<script><!--<script>'),
  'script ends': (fill) => `<script>${fill('</scrip')}`,
  'style without an end': (fill) => `<style>${fill('</styl ')}`,
  'selects and options': (fill) => fill('<select><option>'),
  svg: (fill) => fill('<svg><g>'),
  'svg and html in turn': (fill) => fill('<svg><foreignObject><p>'),
  templates: (fill) => fill('<template>'),
  framesets: (fill) => `<frameset>${fill('<frame>')}`,
  'list items': (fill) => fill('<li>x'),
  headings: (fill) => fill('<h1><h2>'),
  'nobr and a': (fill) => fill('<nobr><a>'),
  'ruby and rt': (fill) => fill('<ruby><rt>'),
  'JSON-LD of brackets': (fill) => `<script type="application/ld+json">${fill('[')}</script>`,
  'JSON-LD of objects': (fill) => `<script type="application/ld+json">${fill('{"a":')}</script>`,
  'script data of braces': (fill) => `<script>window.x = ${fill('{a:')}</script>`,
  'script data that never parses': (fill) => `<script>window.x = ${fill('{ ')}</script>`,
  'microdata nested': (fill) => fill('<i itemscope itemprop=a>'),
  'microdata with references': (fill) =>
    `<i id=a itemscope itemref="a b c">${fill('<i itemprop=a itemscope itemref=a></i>')}`,
  'meta tags': (fill) => fill('<meta name=description content=x>'),
  'base elements': (fill) => fill('<base href=x>'),
  'colspan and rowspan': (fill) => `<table id=t>${fill('<tr><td colspan=1000 rowspan=65534>x')}`,
};

/** Pages that try to exhaust a parser, by their content. */
export const HOSTILE_NAMES = Object.keys(PAGES);

export function hostilePage(name: string, bytes: number): string {
  const make = PAGES[name];
  if (make === undefined) throw new Error(`no hostile page ${name}`);
  return make((piece) => piece.repeat(Math.floor(bytes / piece.length)), bytes);
}
