import type { TransformStep } from '@gleaner/contracts';
import { compileStep, type Raw } from '@gleaner/extractors/parts';
import type { ValueKind } from './kind.ts';
import { exactShape } from './shape.ts';
import { escapePattern, fold } from '../page/text.ts';

/** The part of a raw text that becomes the value. */
export interface Cut {
  readonly steps: readonly TransformStep[];
  /** From 0 to 1: the chance that the same steps give the right part on other pages. */
  readonly trust: number;
  readonly why: string | undefined;
  readonly apply: (raw: string) => string | undefined;
}

function cut(steps: readonly TransformStep[], trust: number, why?: string): Cut {
  // Most cuts are never tried, and compiling patterns costs more than the rest.
  let compiled: ReturnType<typeof compileStep>[] | undefined;
  return {
    steps,
    trust,
    why,
    apply(raw) {
      compiled ??= [compileStep('trim', 'one'), ...steps.map((source) => compileStep(source, 'one'))];
      let value: Raw | Raw[] = raw;
      for (const { run } of compiled) value = run(value);
      return typeof value === 'string' && value !== '' ? value : undefined;
    },
  };
}

/** The same cut for values of this kind only; nothing for others. */
export function guarded(base: Cut, { pattern, isTelling, most }: ValueKind): Cut {
  const length = isTelling || most > 900 ? [] : [{ regex: `^.{1,${most}}$` }];
  return cut([...base.steps, { regex: `^(${pattern})$` }, ...length], base.trust, base.why);
}

export const WHOLE: Cut = cut(['collapse'], 1);

function literal(text: string): string {
  return escapePattern(text).replaceAll(/\d+/g, '\\d+').replaceAll(' ', '\\s*');
}

const DELIMITERS = ['|', '-', '–', '—', '•', '·', ';', ',', '(', '/', ':', '»', '>', '['];

/** Ways to cut `value` out of a raw text, most reliable first; [] when the text doesn't contain it. */
export function cutsFor(raw: string, value: string): Cut[] {
  const text = fold(raw);
  if (text === value) return [WHOLE];
  const at = text.indexOf(value);
  if (at === -1 || value === '') return [];
  const before = text.slice(0, at);
  const after = text.slice(at + value.length);
  const cuts: Cut[] = [];
  const edges = `${before}${after}`;
  const add = (pattern: string, trust: number, why: string): void => {
    if (pattern.length < 400) cuts.push(cut(['collapse', { regex: pattern }], trust, why));
  };
  if (/^[\s:|,;.·•»«>–—()[\]"“”'*#=+-]+$/.test(edges)) {
    const characters = [...new Set(` ${edges}`)].join('');
    if (
      fold(WHOLE.apply(text) ?? '') !== '' &&
      !characters.includes(value.charAt(0)) &&
      !characters.includes(value.at(-1) ?? '')
    ) {
      cuts.push(cut(['collapse', { strip: characters }], 0.97, 'without the marks around it'));
    }
  }
  const delimiter = DELIMITERS.find((mark) => after.trimStart().startsWith(mark) && !value.includes(mark));
  const label = /^[^:：]{1,40}[:：]\s*$/.test(before);
  const fixed = label ? 1 : constancyOfText(before);
  const inner = /([\p{L}][\p{L} ]{0,30}[:：]\s*)$/u.exec(before.slice(-100))?.[1];
  if (inner !== undefined) {
    const start = `${before.length === inner.length ? '^' : '(?:^|[^\\pL])'}${literal(inner)}`;
    const next = /^\s*([\p{L}][\p{L} ]{0,30}[:：])/u.exec(after)?.[1];
    if (after === '') add(`${start}(.*)$`, 0.97, `after ${inner.trim()}`);
    else if (delimiter !== undefined)
      add(`${start}(.*?)\\s*(?:${escapePattern(delimiter)}|$)`, 0.95, `after ${inner.trim()}`);
    else if (next !== undefined)
      add(`${start}(.*?)\\s*(?:${literal(next)}|$)`, 0.93, `after ${inner.trim()}`);
  }
  const lead = before === '' ? '^' : before.length <= 60 ? `^${literal(before)}` : undefined;
  const tail = after === '' ? '$' : after.length <= 60 ? `${literal(after)}$` : undefined;
  if (lead !== undefined && tail !== undefined) {
    add(
      `${lead}(.*?)\\s*${tail}`,
      label && after === '' ? 0.97 : 0.85 * 0.99 ** edges.length * fixed,
      'without the text before and after it',
    );
  }
  if (lead !== undefined && after !== '') {
    if (delimiter !== undefined)
      add(`${lead}(.*?)\\s*${escapePattern(delimiter)}`, 0.82 * fixed, `up to ${delimiter}`);
    const word = /^\s*([\p{L}]+)/u.exec(after)?.[1];
    if (word !== undefined)
      add(`${lead}(.*?)\\s*\\b${escapePattern(word)}\\b`, 0.7 * fixed, `up to the word ${word}`);
  }
  if (before.length > 0) {
    const mark = /([^\p{L}\p{N}\s]\s*|[\p{L}\p{N}]+\s*[:#]?\s*)$/u.exec(before.slice(-100))?.[1];
    if (mark !== undefined && tail !== undefined)
      add(`${literal(mark)}(${noneOf(mark)}*?)\\s*${tail}`, 0.72, `after ${mark.trim()}`);
  }
  if (inner === undefined)
    for (const { pattern, trust, why } of betweenWords(before, after)) add(pattern, trust, why);
  const shape = exactShape(value);
  if (/\\d/.test(shape)) {
    const first = new RegExp(shape.replaceAll('\\pL', '\\p{L}'), 'u').exec(text)?.[0];
    if (first === value) {
      const open = shape.replaceAll(/\\d\{\d+\}/g, '\\d+');
      add(`(${shape})`, 0.75, 'the first part that looks like it');
      if (open !== shape && new RegExp(open.replaceAll('\\pL', '\\p{L}'), 'u').exec(text)?.[0] === value)
        add(`(${open})`, 0.8, 'the first part that looks like it');
    }
  }
  return cuts.filter(({ apply }) => apply(raw) === value);
}

/** From 0 to 1: the chance that a word beside a value is a part of the template. Names and numbers seldom are. */
function constancy(word: string): number {
  if (/\d/.test(word)) return 0.2;
  if (!/\p{L}/u.test(word)) return 0.7;
  return word === word.toLowerCase() ? 0.85 : 0.4;
}

/** The same for a whole text: one name or number in it makes it another one on other pages. */
function constancyOfText(text: string): number {
  const words = text.trim().split(' ');
  return words.length > 2 ? Math.min(1, 0.2 + Math.min(...words.slice(1).map(constancy))) : 1;
}

/** The part between the words beside it, in a sentence: `directed by Ann Miller in 1999`. */
function betweenWords(before: string, after: string): { pattern: string; trust: number; why: string }[] {
  const words = before.trimEnd().split(' ').slice(-2);
  const last = words.at(-1);
  if (last === undefined || last === '' || last.length > 30) return [];
  const next = /^\s*(\p{L}[\p{L}'-]*|[^\p{L}\p{N}\s])/u.exec(after)?.[1];
  if (next === undefined && after !== '') return [];
  const end =
    next === undefined
      ? '$'
      : `(?:${/\p{L}/u.test(next) ? `\\s${literal(next)}(?:\\s|$)` : escapePattern(next)}|$)`;
  const right = next === undefined ? 0.9 : constancy(next);
  const found = [{ left: last, trust: constancy(last) }];
  const [first] = words;
  if (words.length === 2 && first !== undefined && first !== '') {
    found.push({ left: `${first} ${last}`, trust: Math.min(constancy(first), constancy(last)) * 1.02 });
  }
  return found.map(({ left, trust }) => ({
    pattern: `(?:^|\\s)${literal(left)}\\s*(.*?)\\s*${end}`,
    trust: 0.85 * trust * right,
    why: `after “${left}”${next === undefined ? '' : `, up to “${next}”`}`,
  }));
}

/** Matches anything but the mark, so that the match is the part after the mark's last occurrence. */
function noneOf(mark: string): string {
  const character = mark.trim().at(-1) ?? '';
  return /[^\p{L}\p{N}\s]/u.test(character) ? `[^${escapePattern(character)}]` : '.';
}
