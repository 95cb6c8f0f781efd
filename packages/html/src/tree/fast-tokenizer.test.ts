import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { parse, Parser } from 'parse5';
import { describe, expect, inject, it } from 'vitest';
import { findTestData } from '../../../../test/test-data.mjs';
import { createTreeAdapter, type TreeMap } from './adapter.ts';
import { writeFast } from './fast-tokenizer.ts';
import { isElement, type TreeElement, type TreeNode, type TreeRoot } from './tree.ts';

const PAGES = findTestData('pages');

/** Rounds of the comparison with parse5; more through the environment. */
const ROUNDS = inject('isLong') ? 100_000 : 4_000;

type Templates = Map<TreeElement, TreeRoot>;

function dump(root: TreeRoot, templates: Templates): string {
  const lines = [root.mode as string];
  const walk = (first: TreeNode | null, depth: number): void => {
    for (let node = first; node !== null; node = node.next) {
      if (isElement(node)) {
        const { localName, namespace, attributes } = node;
        lines.push(JSON.stringify([depth, namespace, localName, attributes]));
        walk(templates.get(node)?.first ?? null, depth + 100);
        walk(node.first, depth + 1);
      } else {
        lines.push(JSON.stringify([depth, node.nodeType, node.data]));
      }
    }
  };
  walk(root.first, 0);
  return lines.join('\n');
}

function scanned(html: string): string {
  const templates: Templates = new Map();
  const parser = new Parser<TreeMap>({ treeAdapter: createTreeAdapter(templates), scriptingEnabled: false });
  writeFast(parser, html);
  return dump(parser.document, templates);
}

function byParse5(html: string): string {
  const templates: Templates = new Map();
  const root = parse<TreeMap>(html, { treeAdapter: createTreeAdapter(templates), scriptingEnabled: false });
  return dump(root, templates);
}

/** Markup about which the scanner and parse5's state machine could disagree. */
const PIECES =
  `<div>|</div>|<p class="a">|</p>|<a href="x?a=1&b=2&copy=3&amp;c">|<a href='&lt;&notit;&not;&#65;&#x41;&#0;&bogus;'>|
</a>|<b>|</b>|<i>|</i>|text |&amp;|&lt|&notin;|&not|&#128;|&#xD800;|&|& |&#|&#x|&#x;|&a|<|< |</|</ |</>|<!|<!--|-->|--!>|<!-->|<!--->|
<!-- a -- b -->|<!---->|<!doctype html>|<!DOCTYPE foo PUBLIC "x">|<![CDATA[x]]>|<?php ?>|<script>|</script>|
<script>a<!--<script>b</script>--></script>|<style>|</style>|<STYLE>|</StYlE >|<title>|</title>|<title>a&amp;b</title>|<textarea>\n|
<textarea>|</textarea>|<pre>\n\nx|<pre>|</pre>|<table>|<tr>|<td>|</td>|</tr>|</table>|<tbody>|<caption>|<colgroup>|<col>|<select>|
<option>|</select>|<svg>|</svg>|<svg viewBox="0" XLINK:href=a>|<foreignObject>|<math>|<mi>|</math>|<template>|</template>|<frameset>|
<frame>|</frameset>|<noframes>|</noframes>|<body a=b>|<html lang=x>|<head>|</head>|</body>|</html>|<input/>|<br / >|<img src=a/b/c>|
<a b=c d="e"f='g'/h =i>|<a =b>|<a b= >|<a b=>|<a b==c>|<a B="x" b=y>|<DIV ID=X>|<dİv>|<a ÀB=c>|<plaintext>|</div x=y>|</div/>|<div|
<a "|<a b="|é|<noscript>|</noscript>|<iframe>|</iframe>|<xmp>|</xmp>|<li>|<ul>|</ul>|<h1>|</h1>|<form>|</form>|<button>|<ruby>|<rt>|
<dd>|<dt>|<image>|<nobr>|<marquee>|<object>|</object>|x=y|"|'|>|/|=|<a&b>|<p&amp;>|&ampx|&amp=|<a x=&amp y=&ampz w="&amp=" v='&lt'>|
<math><annotation-xml encoding="text/html"><div>|<svg><title><p>|<svg><script>a</script>|<svg><![CDATA[ a<b ]]>|]]>`
    .split('|')
    .map((piece) => piece.replace(/^\n/, ''));

const piece = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...PIECES) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(' ', '\n', '\r\n', '\r', '\f', '\t', '\0', '\u{1F600}', '\ud800', '\udc00'),
  },
);

describe('the fast scanner', () => {
  it('builds the same tree as parse5 from random markup', () => {
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 16 }), (pieces) => {
        const html = pieces.join('');
        expect(scanned(html)).toBe(byParse5(html));
      }),
      { numRuns: ROUNDS },
    );
  });

  it.skipIf(PAGES.isMissing)('builds the same tree as parse5 from real pages', { meta: PAGES.meta }, () => {
    for (const name of readdirSync(PAGES.path).filter((file) => file.endsWith('.html'))) {
      const html = readFileSync(join(PAGES.path, name), 'utf8');
      expect(scanned(html) === byParse5(html), name).toBe(true);
    }
  });
});
