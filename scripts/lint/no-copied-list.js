import * as values from '../../packages/contracts/src/values/index.ts';

const LISTS = Object.entries(values).filter(([, value]) => Array.isArray(value));

/** Names of JSON Schema's types: code that reads JSON Schema lists some of them. */
const JSON_TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/** The first list of the vocabulary that has all of these texts. */
function listOf(texts) {
  return new Set(texts).size < 2 || texts.every((text) => JSON_TYPES.has(text))
    ? undefined
    : LISTS.find(([, list]) => texts.every((text) => list.includes(text)));
}

/** The name of the list that these texts copy whole. */
function copyOf(texts) {
  return LISTS.find(
    ([, list]) => list.length === new Set(texts).size && texts.every((text) => list.includes(text)),
  )?.[0];
}

function textOf(node) {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type !== 'ObjectExpression') return undefined;
  // An option of a choice: { value: 'csv', label: 'CSV' }.
  const value = node.properties.find((property) => property.key?.name === 'value')?.value;
  return value?.type === 'Literal' && typeof value.value === 'string' ? value.value : undefined;
}

function unwrapped(node) {
  return node?.type === 'TSAsExpression' ? unwrapped(node.expression) : node;
}

/** A part of a list that is meant says so: `['css', 'xpath'] satisfies readonly SourceKind[]`, `new Set<Take>([…])`. */
function isMeant(node) {
  const { parent } = node;
  if (parent.type === 'TSAsExpression') return isMeant(parent);
  return (
    parent.type === 'TSSatisfiesExpression' ||
    (parent.type === 'NewExpression' && parent.typeArguments !== null && parent.typeArguments !== undefined)
  );
}

/** Texts that a chain of `||` or `&&` compares with one expression, by the expression's source. */
function comparedIn(node, source, found = new Map()) {
  if (node.type === 'LogicalExpression') {
    comparedIn(node.left, source, found);
    comparedIn(node.right, source, found);
  } else if (node.type === 'BinaryExpression' && /^[!=]==$/.test(node.operator)) {
    const text = textOf(node.right);
    const left = source.getText(node.left);
    if (text !== undefined) found.set(left, [...(found.get(left) ?? []), text]);
  }
  return found;
}

/** Keys of an object; undefined when one of them is not a plain name. */
function keysOf({ properties }) {
  const keys = properties.map((property) =>
    property.type === 'Property' && !property.computed
      ? (property.key.name ?? property.key.value)
      : undefined,
  );
  return keys.every((key) => typeof key === 'string') ? keys : undefined;
}

/**
 * Lists of values are written once, in packages/contracts/src/values. A copy becomes wrong when a value is added:
 * import the list, or check a table or a part of it against its type with `satisfies`.
 */
export const noCopiedList = {
  create(context) {
    const report = (node, name) =>
      context.report({
        node,
        message: `This copies ${name} of @gleaner/contracts/values: import it, or check a table or part of it with satisfies.`,
      });
    return {
      ArrayExpression(node) {
        const texts = node.elements.map(textOf);
        if (texts.includes(undefined) || isMeant(node)) return;
        const list = listOf(texts);
        if (list) report(node, list[0]);
      },
      TSUnionType(node) {
        const name = copyOf(node.types.map((type) => textOf(type.literal)));
        if (name !== undefined) report(node, name);
      },
      LogicalExpression(node) {
        if (node.parent.type === 'LogicalExpression') return;
        for (const texts of comparedIn(node, context.sourceCode).values()) {
          const name = copyOf(texts);
          if (name !== undefined) report(node, name);
        }
      },
      SwitchStatement(node) {
        if (!node.cases.some(({ test }) => test === null)) return;
        const texts = node.cases.flatMap(({ test }) => (test === null ? [] : [textOf(test)]));
        const list = texts.includes(undefined) ? undefined : listOf(texts);
        if (list) report(node, list[0]);
      },
      'Program > VariableDeclaration > VariableDeclarator, ExportNamedDeclaration > VariableDeclaration > VariableDeclarator'({
        id,
        init,
      }) {
        const table = unwrapped(init);
        const annotation = id.typeAnnotation && context.sourceCode.getText(id.typeAnnotation);
        if (table?.type !== 'ObjectExpression' || (annotation && !/Record<string\b/.test(annotation))) return;
        const keys = keysOf(table);
        const list = keys && listOf(keys);
        if (list) report(table, list[0]);
      },
    };
  },
};
