export { splitAttribute } from './css/attribute.ts';
export { compileSelector } from './css/compile.ts';
export { selectElements } from './css/select.ts';
export type { SelectorList } from './css/selector.ts';
export { ExpressionFault, ExtractionStopped } from './fault.ts';
export { PageRejected } from './tree/adapter.ts';
export { baseUrlOf, encodeQuery, innerBaseOf, resolveUrl } from './tree/base-url.ts';
export { decodeHtml, decodeHtmlInParts } from './tree/decode.ts';
export { textOf, type PageDocument } from './tree/document.ts';
export { classNamesOf, elementsByClass, elementsById, elementsByTag } from './tree/indexes.ts';
export { parseHtml } from './tree/parse.ts';
export { isXml, parseXml, withXmlDeclaration } from './tree/parse-xml.ts';
export {
  RAISED_DIGITS,
  readNumberTextOf,
  readOwnTextOf,
  readPageText,
  readTextOf,
} from './tree/read-text.ts';
export { isConcealed, isUnseen, linesAround } from './tree/rendering.ts';
export { innerHtmlOf, outerHtmlOf } from './tree/serialize.ts';
export {
  attributeInAnyCase,
  attributeOf,
  COMMENT,
  firstChildElement,
  HTML_NAMESPACE,
  isElement,
  isText,
  nextElement,
  parentElement,
  previousElement,
  TEXT,
  TreeElement,
  type TreeData,
  TreeRoot,
  type AnyNode,
  type TreeNode,
  type TreeParent,
} from './tree/tree.ts';
