import { cutText } from '@gleaner/contracts/text';
import type { TransformStep } from '@gleaner/contracts';
import { ExpressionFault } from '@gleaner/html';
import { requireWithin, RESULT_LIMITS, spend } from '../limits.ts';
import { compilePattern, type Pattern } from './pattern.ts';

/** Texts, numbers and booleans (from JSON or a map), and lists of them. */
export type Scalar = string | number | boolean;
export type Raw = Scalar | null;
export type Shape = 'one' | 'list';

export interface CompiledStep {
  /** The text in the schema, for `explain`. */
  readonly source: TransformStep;
  readonly shape: Shape;
  readonly run: (value: Raw | Raw[]) => Raw | Raw[];
}

const WHITE_SPACE = /[\s\u200B\uFEFF]+/g;

function textOf(value: Scalar): string {
  return typeof value === 'string' ? value : String(value);
}

/** The text, whose length a step is about to build again. */
function spent(text: string): string {
  spend(text.length);
  return text;
}

function subjectOf(value: Scalar): string {
  return cutText(textOf(value), RESULT_LIMITS.patternSubject);
}

function each(apply: (value: Scalar) => Raw) {
  return (value: Raw | Raw[]): Raw | Raw[] =>
    Array.isArray(value)
      ? value.map((item) => (item === null ? null : apply(item)))
      : value === null
        ? null
        : apply(value);
}

/** The character at this place: two code units, or one. */
function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

/** The character that ends before this place. */
function characterBefore(text: string, at: number): string {
  const last = characterAt(text, at - 1);
  if (at < 2 || !/^[\uDC00-\uDFFF]/.test(last)) return last;
  const pair = characterAt(text, at - 2);
  return pair.length === 2 ? pair : last;
}

function stripper(characters: string): (text: string) => string {
  const set = new Set(characters);
  return (text) => {
    let start = 0;
    let end = text.length;
    while (start < end && set.has(characterAt(text, start))) start += characterAt(text, start).length;
    while (end > start && set.has(characterBefore(text, end))) end -= characterBefore(text, end).length;
    return text.slice(start, end);
  };
}

function groupOf(pattern: Pattern, group: number | string | undefined): number | string {
  if (group === undefined) return pattern.groupCount() > 0 ? 1 : 0;
  if (typeof group === 'string' && !Object.hasOwn(pattern.namedGroups(), group)) {
    throw new ExpressionFault(`the pattern has no group named ${group}`);
  }
  if (typeof group === 'number' && group > pattern.groupCount()) {
    throw new ExpressionFault(`the pattern has ${pattern.groupCount()} groups, not ${group}`);
  }
  return group;
}

function regexStep(text: string, group: number | string | undefined): (value: Scalar) => Raw {
  const pattern = compilePattern(text);
  const wanted = groupOf(pattern, group);
  return (value) => {
    const matcher = pattern.matcher(subjectOf(value));
    return matcher.find() ? matcher.group(wanted) : null;
  };
}

/** `$1`, `$<name>` and `$$` in the replacement. A dollar before anything else is plain text. */
function replaceStep([text, replacement]: readonly [string, string]): (value: Scalar) => Raw {
  const pattern = compilePattern(text);
  const names = pattern.namedGroups();
  const count = pattern.groupCount();
  for (const [, name] of replacement.matchAll(/\$<([^>]*)>/g)) {
    if (name !== undefined && !Object.hasOwn(names, name)) {
      throw new ExpressionFault(`the pattern has no group named ${name}`);
    }
  }
  return (value) => {
    const subject = textOf(value);
    const matcher = pattern.matcher(subjectOf(value));
    let result = '';
    let from = 0;
    while (matcher.find()) {
      const before = result.length;
      result += subject.slice(from, matcher.start());
      result += replacement.replaceAll(
        /\$(?:(\$)|(&)|(\d{1,2})|<([^>]*)>)/g,
        (whole, dollar, all, digits, name) => {
          if (dollar !== undefined) return '$';
          if (all !== undefined) return matcher.group(0) ?? '';
          if (name !== undefined) return matcher.group(String(name)) ?? '';
          return Number(digits) <= count ? (matcher.group(Number(digits)) ?? '') : whole;
        },
      );
      from = matcher.end();
      requireWithin(0, result.length);
      spend(result.length - before);
    }
    spend(subject.length - from);
    return result + subject.slice(from);
  };
}

function splitStep(separator: string) {
  return (value: Raw | Raw[]): Raw[] => {
    const texts = Array.isArray(value) ? value : [value];
    const parts: string[] = [];
    for (const item of texts) {
      if (item === null) continue;
      spend(textOf(item).length);
      for (const part of textOf(item).split(separator, RESULT_LIMITS.values + 1)) {
        const trimmed = part.trim();
        if (trimmed !== '') parts.push(trimmed);
      }
      requireWithin(parts.length, 0);
    }
    return parts;
  };
}

function joinStep(separator: string) {
  return (value: Raw | Raw[]): Raw => {
    if (!Array.isArray(value)) return value;
    const present = value.filter((item) => item !== null).filter((item) => item !== '');
    if (present.length === 0) return null;
    const texts = present.map(textOf);
    spend(texts.reduce((total, { length }) => total + length, separator.length * (texts.length - 1)));
    return texts.join(separator);
  };
}

/** The place of a character by its number; negative numbers count from the end. */
function placeOf(text: string, number: number): number {
  let at = number < 0 ? text.length : 0;
  for (let left = number; left > 0 && at < text.length; left -= 1) at += characterAt(text, at).length;
  for (let left = number; left < 0 && at > 0; left += 1) at -= characterBefore(text, at).length;
  return at;
}

/** Slices by characters, so a character of two code units is never split. */
function sliceText(text: string, from: number, to: number | undefined): string {
  if (!/[\uD800-\uDFFF]/.test(text)) return text.slice(from, to);
  const start = placeOf(text, from);
  const end = to === undefined ? text.length : placeOf(text, to);
  return start < end ? text.slice(start, end) : '';
}

function templateStep(template: string): (value: Scalar) => Raw {
  const parts = template.split('{value}');
  const own = parts.reduce((total, { length }) => total + length, 0);
  return (value) => {
    const text = textOf(value);
    spend(own + text.length * (parts.length - 1));
    return parts.join(text);
  };
}

function sliceStep([from, to]: readonly [number, number?]) {
  return (value: Raw | Raw[]): Raw | Raw[] =>
    Array.isArray(value) ? value.slice(from, to) : value === null ? null : sliceText(textOf(value), from, to);
}

function mapStep(map: Readonly<Record<string, Raw>>): (value: Scalar) => Raw {
  return (value) => {
    const text = textOf(value);
    if (Object.hasOwn(map, text)) return map[text] ?? null;
    return Object.hasOwn(map, '*') ? (map['*'] ?? null) : value;
  };
}

const WORDS: Readonly<Record<Extract<TransformStep, string>, CompiledStep['run']>> = {
  trim: each((value) => textOf(value).trim()),
  collapse: each((value) => spent(textOf(value)).replaceAll(WHITE_SPACE, ' ').trim()),
  lower: each((value) => spent(textOf(value)).toLowerCase()),
  upper: each((value) => spent(textOf(value)).toUpperCase()),
  unique: (value) => (Array.isArray(value) ? [...new Set(value)] : value),
};

/** @throws ExpressionFault for a faulty pattern or group. */
export function compileStep(source: TransformStep, before: Shape): CompiledStep {
  if (typeof source === 'string') return { source, shape: before, run: WORDS[source] };
  if ('regex' in source) return { source, shape: before, run: each(regexStep(source.regex, source.group)) };
  if ('replace' in source) return { source, shape: before, run: each(replaceStep(source.replace)) };
  if ('split' in source) return { source, shape: 'list', run: splitStep(source.split) };
  if ('join' in source) return { source, shape: 'one', run: joinStep(source.join) };
  if ('slice' in source) return { source, shape: before, run: sliceStep(source.slice) };
  if ('map' in source) return { source, shape: before, run: each(mapStep(source.map)) };
  if ('strip' in source) {
    const strip = stripper(source.strip);
    return { source, shape: before, run: each((value) => strip(textOf(value))) };
  }
  return { source, shape: before, run: each(templateStep(source.template)) };
}
