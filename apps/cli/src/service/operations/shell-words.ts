import { fieldsOf, schemaOf } from './fields.ts';
import { SHORTHANDS } from './shorthands.ts';
import { commandOf, listOperations } from './table.ts';
import { kebabCase } from './wording.ts';

/** Options by the fields of the API that a text can name without being mistaken: `sink.table`, `keep_pages`. */
function listOptions(): Map<string, string> {
  const paths = listOperations().flatMap(({ body }) => fieldsOf(schemaOf(body)).map(({ path }) => path));
  const named = paths.filter((path) => path.length > 1 || /[_A-Z]/.test(path[0] ?? ''));
  return new Map(
    named.map((path) => {
      const name = path.join('.');
      const [flags] = SHORTHANDS[name] ?? SHORTHANDS[`scrape_config.${name}`] ?? [];
      const shorthand = flags?.match(/--[\w-]+/)?.[0];
      const own = path.slice(path.length > 1 ? 1 : 0).map(kebabCase);
      return [name, shorthand ?? `--${own.join('-')}`];
    }),
  );
}

/**
 * A text for readers of the REST API in a shell's words: `POST /v1/parsers` is `gleaner parsers create`, and `keep_pages: all`
 * is `--keep-pages all`. A route without a command stays.
 */
export function toShellWords(text: string): string {
  const commands = new Map(listOperations().map((one) => [`${one.method} ${one.path}`, commandOf(one)]));
  const options = listOptions();
  return text
    .replaceAll(/\b(?:GET|POST|PUT|DELETE) \/v1\/[\w/{}-]+/g, (route) => {
      const words = commands.get(route);
      return words === undefined ? route : `gleaner ${words}`;
    })
    .replaceAll(/\{"(\w+)": true\}/g, (_json, name: string) => `--${kebabCase(name)}`)
    .replaceAll(
      /(?<![\w./-])([a-z]\w*(?:\.\w+)*)(?:: (true|false|all|none|page)\b)?/g,
      (all, name: string, value?: string) => {
        const option = options.get(name);
        if (option === undefined) return all;
        if (value === 'false') return option.replace('--', '--no-');
        return value === undefined || value === 'true' ? option : `${option} ${value}`;
      },
    );
}
