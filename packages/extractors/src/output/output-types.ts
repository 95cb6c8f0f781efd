import type { OutputFormat, ParserSchema } from '@gleaner/contracts';
import { outputSchema } from './output-schema.ts';
import { writePython } from './write-python.ts';
import { writeTypescript } from './write-typescript.ts';

/** The words of a parser's name, in ASCII letters and digits. */
export function wordsOf(name: string): string[] {
  const words =
    name
      .replaceAll('ß', 'ss')
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .match(/[a-z]+|[A-Z]+[a-z]*|\d+/g) ?? [];
  return /^[a-z]/i.test(words[0] ?? '') ? words : ['parser', ...words];
}

/** The type of a parser's data in a language. @param name of the parser, from which the type's name is made */
export function outputTypes(
  name: string,
  schema: ParserSchema,
  format: Exclude<OutputFormat, 'sql'>,
): string {
  const words = wordsOf(name);
  const typeName = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()).join('');
  switch (format) {
    case 'json-schema':
      return `${JSON.stringify({ title: name, ...outputSchema(schema) }, null, 2)}\n`;
    case 'typescript':
      return writeTypescript(typeName, outputSchema(schema));
    case 'python':
      return writePython(typeName, outputSchema(schema));
  }
}
