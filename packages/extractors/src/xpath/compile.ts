import { cutText } from '@gleaner/contracts/text';
import fontoxpath, { type IDomFacade } from 'fontoxpath';
import { type AnyNode, ExpressionFault, ExtractionStopped, TreeRoot } from '@gleaner/html';
import { withReading } from '../limits.ts';
import { createXPathFacade } from './facade.ts';
import { checkXPath } from './check.ts';
import { resolveFunction } from './regex-functions.ts';

const { evaluateXPath, Language, ReturnType } = fontoxpath;

/** A string literal, or an attribute's name with a capital letter. */
const ATTRIBUTE = /"[^"]*"|'[^']*'|(?:@|\battribute::)\s*((?=[\w.-]*[A-Z])[A-Za-z_][\w.-]*)(?![\w.:(-])/g;

/** `@data-X` → `(@data-X|@data-x)`: HTML has attribute names in lower case, SVG in mixed case. */
function inAnyCase(text: string): string {
  return text.replaceAll(ATTRIBUTE, (part: string, name: string | undefined) =>
    name === undefined ? part : `(@${name}|@${name.toLowerCase()})`,
  );
}

/** Column of a fontoxpath syntax error: it draws the line with a marker, or says "at <line>:<column>". */
function columnOf(message: string): number | undefined {
  const match = /at <>:(\d+):(\d+)/.exec(message) ?? /:(\d+):(\d+)/.exec(message);
  return match ? Number(match[2]) : undefined;
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, stated] = /((?:XPST|XPDY|XPTY|XQST|FO[A-Z]{2})\d{4}[^\n]*)/.exec(message) ?? [];
  return cutText(stated ?? message.split('\n')[0] ?? 'not an XPath', 300);
}

function faultOf(error: unknown): ExpressionFault {
  return new ExpressionFault(reasonOf(error), columnOf(error instanceof Error ? error.message : ''));
}

/** The same for errors that are found without a page. */
function syntaxFault(error: unknown): ExpressionFault {
  const { message, column } = faultOf(error);
  const reason = message.replace(/^[A-Z]{4}\d{4}: /, '').replace(/^Failed to parse script\. /, '');
  return new ExpressionFault(`is not a valid XPath: ${reason}`, column);
}

const options = {
  language: Language.XPATH_3_1_LANGUAGE,
  // Prefixes are undefined and not needed: the tree has no namespaces for XPath.
  namespaceResolver: () => null,
  functionNameResolver: resolveFunction,
};

/**
 * The XPath that runs: the written one, with attributes in both cases.
 * @throws ExpressionFault for XPath that is invalid or could run for ever
 */
export function compileXPath(text: string): string {
  try {
    checkXPath(text);
    // fontoxpath resolves names of functions and prefixes on the first run; an empty page is enough.
    evaluateXPath(text, new TreeRoot(), createXPathFacade(), null, ReturnType.ALL_RESULTS, options);
  } catch (error) {
    if (error instanceof ExpressionFault) throw error;
    // Errors about values (XPTY, FORG, …) may not occur on a real page. Errors about patterns and flags always do.
    if (/XPST\d{4}|FORX000[124]/.test(String(error))) throw syntaxFault(error);
  }
  return inAnyCase(text);
}

/**
 * The items that the XPath selects: nodes, attributes, texts, numbers, booleans.
 * @throws ExpressionFault when it fails on this page, for example with a type error.
 */
export function evaluateCompiled(xpath: string, context: AnyNode, facade: IDomFacade): unknown[] {
  try {
    return withReading(() => evaluateXPath(xpath, context, facade, null, ReturnType.ALL_RESULTS, options));
  } catch (error) {
    throw error instanceof ExtractionStopped ? error : faultOf(error);
  }
}
