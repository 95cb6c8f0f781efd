import fontoxpath, { type Document, type Element } from 'fontoxpath';
import { nearestName } from '@gleaner/contracts/text';
import { ExpressionFault } from '@gleaner/html';
import { XPATH_LIMITS } from '../limits.ts';

const { parseScript, Language } = fontoxpath;

/** A node of the syntax tree that fontoxpath builds through the factory below. */
interface SyntaxNode {
  readonly name: string;
  readonly children: SyntaxNode[];
  text: string;
  /** The prefix of a name, empty if it has none; undefined for `Q{namespace}name`. */
  prefix: string | undefined;
}

function newNode(name: string, text = ''): SyntaxNode {
  return { name, children: [], text, prefix: undefined };
}

/** fontoxpath requires DOM factories; these create plain objects. */
function parse(text: string): SyntaxNode {
  const factory = {
    createElementNS: (_namespace: string | null, name: string) => newNode(name.replace(/^xqx:/, '')),
    createTextNode: (data: string) => newNode('#text', data),
    createComment: (data: string) => newNode('#comment', data),
    createProcessingInstruction: (_target: string, data: string) => newNode('#pi', data),
    createCDATASection: (data: string) => newNode('#text', data),
    createAttributeNS: () => newNode('#attribute'),
    createDocument: () => newNode('#document'),
  };
  const writer = {
    insertBefore: (parent: SyntaxNode, node: SyntaxNode) => void parent.children.push(node),
    removeAttributeNS: () => undefined,
    removeChild: () => undefined,
    setAttributeNS: (node: SyntaxNode, _namespace: string | null, name: string, value: string) => {
      if (name.endsWith(':prefix')) node.prefix = value;
    },
    setData: () => undefined,
  };
  const tree: unknown = parseScript<Element>(
    text,
    { language: Language.XPATH_3_1_LANGUAGE },
    factory as unknown as Document,
    writer as never,
  );
  return tree as SyntaxNode;
}

/** Constructs that can count, loop or call without bound. Extraction doesn't need them. */
const REFUSED = new Map([
  ['flworExpr', 'for and let'],
  ['quantifiedExpr', 'some and every'],
  ['rangeSequenceExpr', 'the range operator to'],
  ['inlineFunctionExpr', 'inline functions'],
  ['namedFunctionRef', 'function references'],
  ['dynamicFunctionInvocationExpr', 'dynamic calls'],
  ['simpleMapExpr', 'the map operator !'],
  ['mapConstructor', 'maps'],
  ['arrayConstructor', 'arrays'],
]);

const FUNCTIONS = new Set(
  `abs avg boolean ceiling compare concat contains count data distinct-values empty ends-with exactly-one
  exists false floor has-children head index-of last local-name lower-case matches max min name node-name normalize-space
  not number one-or-more position replace reverse root round starts-with string string-join string-length subsequence
  substring substring-after substring-before sum tail tokenize translate true upper-case zero-or-one id`.split(
    /\s+/,
  ),
);

/** A function named with its namespace would call fontoxpath’s own version instead of our replacement. */
const PREFIXES: ReadonlySet<string | undefined> = new Set(['', 'fn', 'xs']);

const WIDE_AXES = new Set([
  'descendant',
  'descendant-or-self',
  'following',
  'preceding',
  'following-sibling',
  'preceding-sibling',
]);

function textIn(node: SyntaxNode | undefined): string {
  return node?.children[0]?.text ?? node?.text ?? '';
}

function nearestFunction(name: string): string {
  const nearest = nearestName(name, [...FUNCTIONS]);
  return nearest === undefined || nearest === name ? '' : `; did you mean ${nearest}()?`;
}

interface Walk {
  steps: number;
  wide: number;
}

function checkFunction({ children }: SyntaxNode): void {
  const called = children.find(({ name }) => name === 'functionName');
  const name = textIn(called);
  if (!FUNCTIONS.has(name) || !PREFIXES.has(called?.prefix))
    throw new ExpressionFault(`the function ${name}() can’t be used${nearestFunction(name)}`);
}

function checkNode(node: SyntaxNode, predicates: number, walk: Walk): void {
  const { name, children } = node;
  const refused = REFUSED.get(name);
  if (refused !== undefined) throw new ExpressionFault(`${refused} can’t be used`);
  if (name === 'functionCallExpr') checkFunction(node);
  const depth = name === 'predicates' ? predicates + 1 : predicates;
  if (depth > XPATH_LIMITS.predicateDepth)
    throw new ExpressionFault(`predicates nest deeper than ${XPATH_LIMITS.predicateDepth} levels`);
  if (name === 'rootExpr' && predicates > 0)
    throw new ExpressionFault('a path from the root inside [ ] would search the whole page for every match');
  if (name === 'stepExpr') walk.steps += 1;
  if (walk.steps > XPATH_LIMITS.steps) throw new ExpressionFault(`more than ${XPATH_LIMITS.steps} steps`);
  if (name === 'xpathAxis' && WIDE_AXES.has(textIn(node))) walk.wide += 1;
  if (walk.wide > XPATH_LIMITS.wideSteps)
    throw new ExpressionFault(`more than ${XPATH_LIMITS.wideSteps} steps that search (//, following::, …)`);
  for (const child of children) checkNode(child, depth, walk);
}

/** @throws ExpressionFault for constructs that could run for ever, and fontoxpath's own errors for faulty syntax. */
export function checkXPath(text: string): void {
  checkNode(parse(text), 0, { steps: 0, wide: 0 });
}
