import { describe, expect, inject, it } from 'vitest';
import { TreeRoot } from '@gleaner/html';
import { compileXPath, evaluateCompiled } from './compile.ts';
import { createXPathFacade } from './facade.ts';

function evaluate(xpath: string): unknown[] {
  return evaluateCompiled(compileXPath(xpath), new TreeRoot(), createXPathFacade());
}

function cpuMs(run: () => unknown): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

describe('regular expressions in XPath', () => {
  it('run in linear time, also when constants are evaluated at compile time', () => {
    const text = `${'a'.repeat(5_000)}!`;
    const spent = cpuMs(() => {
      expect(evaluate(`matches('${text}', '^(a+)+$')`)).toEqual([false]);
      expect(evaluate(`replace('${text}', '(a+)+$', '')`)).toEqual([text]);
      expect(evaluate(`tokenize('${text}', '(a+)+$')`)).toEqual([text]);
      expect(evaluate(`fn:replace('${text}', '(a|a)+$', 'b')`)).toEqual([text]);
    });
    if (inject('isLong')) expect(spent).toBeLessThan(3_000);
  });

  it.each([
    ["matches('xAb', 'ab')", [false]],
    ["matches('xAb', 'ab', 'i')", [true]],
    ["matches('a&#10;b', 'a.b')".replace('&#10;', '\n'), [false]],
    ["matches('a\nb', 'a.b', 's')", [true]],
    ["matches('a\nb', '^b$', 'm')", [true]],
    ["matches('hello world', ' hello[ ]world ', 'x')", [true]],
    ["matches('a.b', 'a.b', 'q')", [true]],
    ["matches('axb', 'a.b', 'q')", [false]],
    ["matches((), '^$')", [true]],
    ["replace('2024-05-06', '(\\d+)-(\\d+)-(\\d+)', '$3.$2.$1')", ['06.05.2024']],
    ["replace('abc', 'b', '[$0]')", ['a[b]c']],
    ["replace('abc', '(b)', '$10')", ['ab0c']],
    ["replace('abc', 'b', '$1')", ['ac']],
    ["replace('abc', 'b', '\\$\\\\')", ['a$\\c']],
    ["replace('aBc', 'b', 'x', 'i')", ['axc']],
    ["tokenize('a, b,c', ',\\s*')", ['a', 'b', 'c']],
    ["tokenize(',a,', ',')", ['', 'a', '']],
    ["tokenize('', ',')", []],
    ["tokenize(' a  b ')", ['a', 'b']],
    ["tokenize('1x2X3', 'x', 'i')[3]", ['3']],
    ["'a-b' => replace('-', '+')", ['a+b']],
  ])('%j gives %j', (xpath, expected) => {
    expect(evaluate(xpath)).toEqual(expected);
  });

  it.each([
    ["matches('a', '(')", 'missing closing )'],
    ["matches('a', '(?=a)')", 'invalid or unsupported Perl syntax'],
    ["matches('a', 'a', 'y')", 'there is no flag y'],
    ["replace('a', 'a', '$')", '$ in a replacement'],
    ["Q{http://www.w3.org/2005/xpath-functions}matches('a', 'a')", 'can’t be used'],
    ['math:round(1)', 'can’t be used'],
  ])('%j is refused at once: %s', (xpath, reason) => {
    expect(() => compileXPath(xpath)).toThrow(reason);
  });

  it('replaces and splits all of a long text', () => {
    const text = 'a,'.repeat(12_000);
    expect(evaluate(`replace('${text}', ',', ';')`)).toEqual([text.replaceAll(',', ';')]);
    expect(evaluate(`count(tokenize('${text}', ','))`)).toEqual([12_001]);
  });

  it('rejects replacing or splitting at an empty match', () => {
    expect(() => evaluate("replace('a', 'x*', '')")).toThrow('FORX0003');
    expect(() => evaluate("tokenize('a', 'x*')")).toThrow('FORX0003');
  });
});
