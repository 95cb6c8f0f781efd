import { noCopiedList } from './no-copied-list.js';

/**
 * A top-level function is a declaration, not a constant with an arrow: it has its name in stack traces and
 * is hoisted. A constant with a type annotation may hold one, because a declaration can't say that it has a named type.
 */
const rule = {
  create(context) {
    const check = (node) => {
      for (const { id, init } of node.declarations) {
        const isFunction = init?.type === 'ArrowFunctionExpression' || init?.type === 'FunctionExpression';
        if (isFunction && id.type === 'Identifier' && !id.typeAnnotation) {
          context.report({ node: id, message: `Declare it: function ${id.name}(…).` });
        }
      }
    };
    return {
      'Program > VariableDeclaration': check,
      'Program > ExportNamedDeclaration > VariableDeclaration': check,
    };
  },
};

export default {
  meta: { name: 'gleaner' },
  rules: { 'no-copied-list': noCopiedList, 'top-level-functions': rule },
};
