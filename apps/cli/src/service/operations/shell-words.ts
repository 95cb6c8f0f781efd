import { OPERATIONS } from './operations.ts';
import { shorthandOf } from './shorthands.ts';
import { commandOf } from './table.ts';
import { kebabCase } from './wording.ts';

/** Options by the fields of the API that a text can name without being mistaken: `sink.table`, `keep_pages`. */
function listOptions(): Map<string, string> {
  const paths = OPERATIONS.flatMap(({ body = [] }) => body.map(({ path }) => path));
  const named = paths.filter((path) => path.includes('.') || /[_A-Z]/.test(path));
  return new Map(
    named.map((path) => [
      path,
      shorthandOf(path)?.[0].match(/--[\w-]+/)?.[0] ??
        `--${path
          .split('.')
          .slice(path.includes('.') ? 1 : 0)
          .map(kebabCase)
          .join('-')}`,
    ]),
  );
}

/**
 * A text for readers of the REST API in a shell's words: `POST /v1/parsers` is `gleaner parsers create`, and `keep_pages: all`
 * is `--keep-pages all`. A route without a command stays.
 */
export function toShellWords(text: string): string {
  const commands = new Map(OPERATIONS.map((one) => [`${one.method} ${one.path}`, commandOf(one)]));
  const options = listOptions();
  return (
    text
      // A crawl writes its options into each of its routes.
      .replaceAll(/\broutes\[\d+\]\.(?=sink\.)/g, '')
      .replaceAll(/\b(?:GET|POST|PUT|DELETE) \/v1\/[\w/{}-]+/g, (route) => {
        const words = commands.get(route);
        return words === undefined ? route : `gleaner ${words}`;
      })
      .replaceAll(/\{"(\w+)": true\}/g, (_json, name: string) => `--${kebabCase(name)}`)
      .replaceAll(
        /(?<![\w./-])([a-z]\w*(?:\.\w+)*)(?:(?:: |=| )(true|false)\b|: (all|none|page)\b)?/g,
        (all, name: string, truth?: string, word?: string) => {
          const value = truth ?? word;
          const option = options.get(name);
          if (option === undefined) return all;
          if (value === 'false') return option.replace('--', '--no-');
          return value === undefined || value === 'true' ? option : `${option} ${value}`;
        },
      )
  );
}
