import { AttributeAction, parse, SelectorType, type PseudoSelector, type Selector } from 'css-what';
import { ExpressionFault } from '../fault.ts';
import { SELECTOR_LIMITS } from '../limits.ts';
import { hasXmlName } from '../tree/indexes.ts';
import { HTML_NAMESPACE, XmlElement } from '../tree/tree.ts';
import { attributeTest } from './attribute.ts';
import { hasTest } from './has.ts';
import { matchesComplex } from './match.ts';
import { pseudoTest } from './pseudo.ts';
import type { Combinator, Complex, Compound, Key, SelectorList, Test } from './selector.ts';

interface Compiling {
  text: string;
  compounds: number;
  siblings: number;
}

interface Nesting {
  depth: number;
  hasDepth: number;
  /** `scoped`: the selector itself; `has`: relative to the tested element; `free`: any ancestors. */
  kind: 'scoped' | 'has' | 'free';
}

const COMBINATORS = new Map<string, Combinator>([
  ['descendant', ' '],
  ['child', '>'],
  ['adjacent', '+'],
  ['sibling', '~'],
]);

function columnOf(text: string, part: string): number | undefined {
  const at = text.toLowerCase().indexOf(part.toLowerCase());
  return at === -1 ? undefined : at + 1;
}

function reasonOf(message: string): string {
  return message.replace(/\.$/, '').toLowerCase();
}

/** css-what reports no positions: the fault starts at the end of the longest prefix that parses. */
function locateFault(text: string, error: unknown): ExpressionFault {
  const message = error instanceof Error ? error.message : String(error);
  const rest = /^(?:Unmatched selector: |Expected name, found )([^]*)$/.exec(message)?.[1];
  if (rest !== undefined && text.endsWith(rest)) {
    return new ExpressionFault(
      rest === ''
        ? 'ends before the selector does'
        : `is not a CSS selector from ${JSON.stringify(rest.slice(0, 20))} on`,
      text.length - rest.length + 1,
    );
  }
  for (let length = text.length - 1; length > 0; length -= 1) {
    try {
      parse(text.slice(0, length));
      return new ExpressionFault(`is not a CSS selector: ${reasonOf(message)}`, length + 1);
    } catch {
      // A shorter part may parse.
    }
  }
  return new ExpressionFault(`is not a CSS selector: ${reasonOf(message)}`, 1);
}

function tagTest(name: string): Test {
  const lowered = name.toLowerCase();
  return (element, { document }) => {
    if (!(element instanceof XmlElement))
      return element.localName === (element.namespace === HTML_NAMESPACE ? lowered : name);
    const own = lowered.includes(':') ? element.qualifiedName : element.localName;
    // Names of XML match in any case where the page has none in this case.
    return own === name || (own.toLowerCase() === lowered && !hasXmlName(document, name));
  };
}

function anyOf(list: SelectorList): Test {
  const [first] = list;
  if (list.length === 1 && first !== undefined)
    return (element, matching) => matchesComplex(first, element, matching);
  return (element, matching) => list.some((complex) => matchesComplex(complex, element, matching));
}

function compileNested(token: PseudoSelector, nesting: Nesting, state: Compiling): Test {
  const { name } = token;
  const column = columnOf(state.text, `:${name}`);
  const data = Array.isArray(token.data) ? token.data : [];
  const depth = nesting.depth + 1;
  if (depth > SELECTOR_LIMITS.nesting) {
    throw new ExpressionFault(`pseudo-classes nest deeper than ${SELECTOR_LIMITS.nesting} levels`, column);
  }
  if (name === 'has') {
    const hasDepth = nesting.hasDepth + 1;
    if (hasDepth > SELECTOR_LIMITS.hasDepth) {
      throw new ExpressionFault(`:has() nests deeper than ${SELECTOR_LIMITS.hasDepth} levels`, column);
    }
    return hasTest(compileList(data, { depth, hasDepth, kind: 'has' }, state));
  }
  if (name !== 'is' && name !== 'where' && name !== 'matches' && name !== 'not') {
    throw new ExpressionFault(`:${name}() is not supported`, column);
  }
  const test = anyOf(compileList(data, { ...nesting, depth, kind: 'free' }, state));
  return name === 'not' ? (element, matching) => !test(element, matching) : test;
}

function compilePseudo(token: PseudoSelector, nesting: Nesting, state: Compiling): Test {
  if (Array.isArray(token.data)) return compileNested(token, nesting, state);
  const column = columnOf(state.text, `:${token.name}`);
  if (token.name === 'scope' && nesting.kind !== 'scoped') {
    throw new ExpressionFault(':scope can only be used outside other pseudo-classes', column);
  }
  const test = pseudoTest(token.name, token.data);
  if (typeof test !== 'function') throw new ExpressionFault(test.reason, column);
  return test;
}

function compileSimple(token: Selector, nesting: Nesting, state: Compiling): Test | null {
  if (token.type === SelectorType.Universal) return null;
  if (token.type === SelectorType.Tag) return tagTest(token.name);
  if (token.type === SelectorType.Attribute) return attributeTest(token);
  if (token.type === SelectorType.Pseudo) return compilePseudo(token, nesting, state);
  if (token.type !== SelectorType.PseudoElement)
    throw new ExpressionFault('this combinator is not supported');
  throw new ExpressionFault(
    `::${token.name} is not supported; use attr or selector@attribute`,
    columnOf(state.text, `::${token.name}`) ?? columnOf(state.text, `:${token.name}`),
  );
}

function keyOf(tokens: readonly Selector[]): Key {
  let key: Key = { kind: 'all' };
  for (const token of tokens) {
    if (token.type === SelectorType.Pseudo && token.name === 'scope') return { kind: 'scope' };
    if (token.type === SelectorType.Attribute && token.ignoreCase === 'quirks') {
      const { name, value, action } = token;
      if (name === 'id' && action === AttributeAction.Equals) return { kind: 'id', name: value };
      const isName = value !== '' && !/\s/.test(value);
      if (name === 'class' && action === AttributeAction.Element && isName)
        key = { kind: 'class', name: value };
    }
    const isTag = token.type === SelectorType.Tag && token.name === token.name.toLowerCase();
    if (isTag && key.kind === 'all') key = { kind: 'tag', name: token.name };
  }
  return key;
}

function compileCompound(
  tokens: readonly Selector[],
  combinator: Combinator,
  nesting: Nesting,
  state: Compiling,
): Compound {
  state.compounds += 1;
  if (state.compounds > SELECTOR_LIMITS.compounds) {
    throw new ExpressionFault(`more than ${SELECTOR_LIMITS.compounds} parts`);
  }
  if (tokens.length === 0) throw new ExpressionFault('a combinator needs a selector on its right');
  const tests: Test[] = [];
  for (const token of tokens) {
    if ('namespace' in token && token.namespace !== null) {
      throw new ExpressionFault('namespaces are not supported', columnOf(state.text, '|'));
    }
    const test = compileSimple(token, nesting, state);
    if (test !== null) tests.push(test);
  }
  return { key: keyOf(tokens), tests, combinator };
}

function compileComplex(tokens: readonly Selector[], nesting: Nesting, state: Compiling): Complex {
  const compounds: Compound[] = [];
  let combinator: Combinator = ' ';
  let current: Selector[] = [];
  let leading = true;
  for (const token of tokens) {
    const traversal = COMBINATORS.get(token.type);
    if (traversal === undefined) {
      current.push(token);
      leading = false;
      continue;
    }
    if (traversal === '+' || traversal === '~') {
      state.siblings += 1;
      if (state.siblings > SELECTOR_LIMITS.siblingCombinators) {
        throw new ExpressionFault(`more than ${SELECTOR_LIMITS.siblingCombinators} sibling combinators`);
      }
    }
    if (leading && nesting.kind === 'free') {
      throw new ExpressionFault('a selector in :is() or :not() can’t start with a combinator');
    }
    if (!leading) compounds.push(compileCompound(current, combinator, nesting, state));
    leading = false;
    combinator = traversal;
    current = [];
  }
  compounds.push(compileCompound(current, combinator, nesting, state));
  return { compounds, isScoped: nesting.kind === 'scoped' };
}

function compileList(data: readonly Selector[][], nesting: Nesting, state: Compiling): SelectorList {
  if (data.length === 0) throw new ExpressionFault('empty selector');
  return data.map((tokens) => compileComplex(tokens, nesting, state));
}

/** Parts without names: strings, escapes, brackets, and the text of `:contains()`. */
const NO_NAMES = /"[^"]*"|'[^']*'|\\[^]|\[(?:"[^"]*"|'[^']*'|[^\]"'])*\]|:i?contains\([^)]*\)/gi;

/** Rejects names that start with a digit, as CSS does; css-what accepts them. */
function checkNames(text: string): void {
  const bare = text.replaceAll(NO_NAMES, (part) => ' '.repeat(part.length));
  const name = /[#.]-?\d/.exec(bare);
  if (name !== null) {
    throw new ExpressionFault('a name can’t start with a digit; write [id="1"] or #\\31', name.index + 1);
  }
}

/**
 * Compiles a CSS selector list. Matching takes time linear in the page for each part of any selector.
 * @throws ExpressionFault with the column of the fault
 */
export function compileSelector(text: string): SelectorList {
  let parsed: Selector[][];
  try {
    parsed = parse(text);
  } catch (error) {
    throw locateFault(text, error);
  }
  checkNames(text);
  return compileList(parsed, { depth: 0, hasDepth: 0, kind: 'scoped' }, { text, compounds: 0, siblings: 0 });
}
