import { cssString, xpathLiteral } from './text.ts';

/** One test on an element in addition to its name. */
export interface PathTest {
  readonly attribute: string;
  readonly value: string;
  /** `token`: one of the class names; `without`: none of them; `absent`: the element lacks the attribute. */
  readonly match: 'equals' | 'token' | 'without' | 'absent';
}

export interface PathStep {
  /** The relation to the previous element. The first step searches the whole page or row. */
  readonly axis: 'descendant' | 'child';
  /** null for any element. */
  readonly tag: string | null;
  readonly tests: readonly PathTest[];
  /** Position among siblings with the same name. */
  readonly nth?: number | undefined;
}

/** A path to elements that both CSS and XPath can express. */
export type ElementPath = readonly PathStep[];

const IDENTIFIER = /^-?[A-Za-z_][\w-]*$/;

function cssTest({ attribute, value, match }: PathTest): string {
  if (match === 'absent') return `:not([${attribute}])`;
  if (match === 'without') return `:not(${cssTest({ attribute, value, match: 'token' })})`;
  if (attribute === 'id' && IDENTIFIER.test(value)) return `#${value}`;
  if (match === 'token') return IDENTIFIER.test(value) ? `.${value}` : `[${attribute}~=${cssString(value)}]`;
  return `[${attribute}=${cssString(value)}]`;
}

const COMBINATORS = { descendant: ' ', child: ' > ' } as const;

export function cssOf(path: ElementPath, isRelative = false): string {
  return path
    .map(({ axis, tag, tests, nth }, index) => {
      const combinator = index > 0 ? COMBINATORS[axis] : isRelative && axis === 'child' ? '> ' : '';
      const inner = `${tests.map(cssTest).join('')}${nth === undefined ? '' : `:nth-of-type(${nth})`}`;
      // Names of old or broken markup, such as `o:p`, hold characters that CSS needs escaped.
      const escaped = tag?.replaceAll(/[^\w-]/g, (character) => `\\${character}`);
      const name = escaped ?? (inner === '' ? '*' : '');
      return `${combinator}${name}${inner}`;
    })
    .join('');
}

function xpathTest({ attribute, value, match }: PathTest): string | undefined {
  if (match === 'absent') return `[not(@${attribute})]`;
  const literal = xpathLiteral(match === 'equals' ? value : ` ${value} `);
  if (literal === undefined) return undefined;
  const has = `contains(concat(" ", normalize-space(@${attribute}), " "), ${literal})`;
  if (match === 'equals') return `[@${attribute}=${literal}]`;
  return match === 'token' ? `[${has}]` : `[not(${has})]`;
}

/** Undefined when a value of the path can't be written as an XPath literal, or a name as an XPath name. */
export function xpathOf(path: ElementPath): string | undefined {
  let text = '';
  for (const { axis, tag, tests, nth } of path) {
    const name = tag ?? '*';
    if (tag !== null && !IDENTIFIER.test(tag)) return undefined;
    const written = tests.map(xpathTest);
    if (written.includes(undefined)) return undefined;
    text += `${axis === 'child' ? '/' : '//'}${name}${nth === undefined ? '' : `[${nth}]`}${written.join('')}`;
  }
  return text;
}
