import { indent, type Language, type Member } from '../client/client-types.ts';

const KEYWORDS = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if ' +
    'import in is lambda nonlocal not or pass raise return self try while with yield'
  ).split(' '),
);

/** `maxCredits` as `max_credits`; words of the language get an underscore. */
export function snakeCase(name: string): string {
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll(/\W/g, '_');
  return KEYWORDS.has(snake) ? `${snake}_` : snake;
}

function isIdentifier(key: string): boolean {
  return /^[A-Za-z_]\w*$/.test(key) && !KEYWORDS.has(key);
}

/** A docstring, or nothing. */
export function docstring(text: string | undefined): string {
  if (text === undefined || text === '') return '';
  const plain = text.replaceAll('\\', '\\\\').replaceAll('"""', "'''");
  return `"""${plain.includes('\n') ? `${plain}\n` : plain}${plain.endsWith('"') ? ' ' : ''}"""\n`;
}

function literal(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'Literal[True]' : 'Literal[False]';
  return `Literal[${JSON.stringify(value)}]`;
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `Union[${distinct.join(', ')}]`;
}

function memberType({ type, isRequired }: Member): string {
  return isRequired ? type : `NotRequired[${type}]`;
}

function typedDict(name: string, members: readonly Member[], description: string | undefined): string {
  if (members.every(({ key }) => isIdentifier(key))) {
    const lines = members.map(
      (member) => `${member.key}: ${memberType(member)}\n${docstring(member.description)}`,
    );
    return `class ${name}(TypedDict):${indent4(`\n${docstring(description)}${lines.join('')}`)}`.trimEnd();
  }
  const lines = members.map(
    (member) => `${JSON.stringify(member.key)}: ${JSON.stringify(memberType(member))},\n`,
  );
  return `${name} = TypedDict("${name}", {${indent4(`\n${lines.join('')}`).trimEnd()}\n})`;
}

/** Indents by four, as Python does. */
export function indent4(text: string): string {
  return indent(indent(text)).replaceAll(/[ ]+$/gm, '');
}

/** Types as Python: objects are typed dictionaries with names. */
export const PYTHON: Language = {
  words: { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None', unknown: 'Any' },
  literals: (values) => union(values.map(literal)),
  union,
  list: (item, direction) => `${direction === 'input' ? 'Sequence' : 'List'}[${item}]`,
  tuple: (items) => `Tuple[${items.join(', ')}]`,
  dictionary: (value) => `Dict[str, ${value}]`,
  jsonText: (isList) => `Union[str, ${isList ? 'Sequence[Any]' : 'Mapping[str, Any]'}]`,
  object: () => undefined,
  declaration: (name, type, description) =>
    typeof type === 'string' ? `${name} = ${quoteNames(type)}` : typedDict(name, type, description),
};

/** Words of `typing` and of the language in types. */
const OWN = new Set(
  'Literal Union Sequence List Tuple Dict Mapping Any None True False FileInput'.split(' '),
);

/** A type with each of its names written otherwise: those that this module declares. */
export function writeNames(type: string, write: (name: string) => string): string {
  return type.replaceAll(/"[^"]*"|\b[A-Z]\w*/g, (word) =>
    word.startsWith('"') || OWN.has(word) ? word : write(word),
  );
}

/** An alias is read when the module is loaded: names of later types are texts there. */
function quoteNames(type: string): string {
  return writeNames(type, (name) => `"${name}"`);
}
