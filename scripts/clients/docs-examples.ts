import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const METHODS = /\b(POST|PUT)\b/;
/** A call in a shell: an address of the API, and a body in single quotes. */
const CALL = /^.*?(\/v1\/[\w/.-]+)["' ][^'\n]*'(\{(?:[^']|'\$\w+'|'\$\([^)]*\)')*\})'/gm;

/** @returns the body as JSON, with a word in place of what the shell inserts; undefined when it is none */
function readBody(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text.replaceAll(/'\$(?:\w+|\([^)]*\))'/g, 'x')));
  } catch {
    return undefined;
  }
}

/**
 * A program that is typed by openapi-typescript and sends each body that the documentation shows.
 * @param folder that of the pages
 * @param paths those of the OpenAPI document
 */
export function writeExamples(
  folder: string,
  paths: ReadonlySet<string>,
): { program: string; count: number } {
  const lines = readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) =>
      [...readFileSync(join(folder, name), 'utf8').matchAll(CALL)].flatMap(([call, path = '', text = '']) => {
        const body = readBody(text);
        const method = (METHODS.exec(call)?.[1] ?? 'POST').toLowerCase();
        if (body === undefined || !paths.has(path)) return [];
        const type = `NonNullable<paths['${path}']['${method}']['requestBody']>['content']['application/json']`;
        return [`// ${name}\n{ const body: ${type} = ${body}; void body; }`];
      }),
    );
  return {
    program: `import type { paths } from './schema';\n${lines.join('\n')}\nconsole.log('Lamp');\n`,
    count: lines.length,
  };
}
