import { ensureSyntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';

type Node = NonNullable<ReturnType<typeof ensureSyntaxTree>>['topNode'];

const PARSE_MS = 200;
const VALUE = /^(True|False|Null|Number|String|Object|Array)$/;

/** The members and indexes of a fault's path: `fields.price.css[0]` → `['fields', 'price', 'css', 0]`. */
function stepsOf(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) =>
    index === undefined ? (name ?? '') : Number(index),
  );
}

function valuesIn(node: Node): Node[] {
  const found: Node[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (VALUE.test(child.name)) found.push(child);
  return found;
}

function valueAt({ doc }: EditorState, node: Node, step: string | number): Node | undefined {
  if (typeof step === 'number') return valuesIn(node)[step];
  const quoted = JSON.stringify(step);
  const property = node
    .getChildren('Property')
    .find(({ firstChild: name }) => name !== null && doc.sliceString(name.from, name.to) === quoted);
  return property && valuesIn(property)[0];
}

/** The position of the value at a path in the editor's JSON. Falls back to the nearest value around it. */
export function findPosition(state: EditorState, path: string): { from: number; to: number } {
  const tree = ensureSyntaxTree(state, state.doc.length, PARSE_MS);
  let [node] = tree ? valuesIn(tree.topNode) : [];
  for (const step of stepsOf(path)) {
    const inner = node && valueAt(state, node, step);
    if (inner === undefined) break;
    node = inner;
  }
  return { from: node?.from ?? 0, to: node?.to ?? 0 };
}
