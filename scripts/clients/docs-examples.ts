import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const METHODS = /\b(POST|PUT)\b/;
/** A call in a shell: an address of the API, and a body in single quotes. */
const CALL = /^.*?(\/v1\/[\w/.-]+)["' ](?:\\\n|[^\n])*?'(\{(?:[^']|'\$\w+'|'\$\([^)]*\)')*\})'/gm;

/** @returns the body as JSON, with a word in place of what the shell inserts; undefined when it is none */
function readBody(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text.replaceAll(/'\$(?:\w+|\([^)]*\))'/g, 'x')));
  } catch {
    return undefined;
  }
}

/** A body that a page shows. */
export interface DocsExample {
  page: string;
  path: string;
  method: 'post' | 'put';
  /** As JSON. */
  body: string;
}

/**
 * The bodies of calls that the pages of a folder show.
 * @param paths those of the OpenAPI document
 */
export function readExamples(folder: string, paths: ReadonlySet<string>): DocsExample[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .flatMap((page) =>
      [...readFileSync(join(folder, page), 'utf8').matchAll(CALL)].flatMap(([call, path = '', text = '']) => {
        const body = readBody(text);
        const method = METHODS.exec(call)?.[1] === 'PUT' ? 'put' : 'post';
        return body === undefined || !paths.has(path) ? [] : [{ page, path, method, body } as const];
      }),
    );
}

/** A program that is typed by openapi-typescript and holds each body. */
export function examplesProgram(examples: readonly DocsExample[]): string {
  const lines = examples.map(({ page, path, method, body }) => {
    const type = `NonNullable<paths['${path}']['${method}']['requestBody']>['content']['application/json']`;
    return `// ${page}\n{ const body: ${type} = ${body}; void body; }`;
  });
  return `import type { paths } from './schema';\n${lines.join('\n')}\nconsole.log('Lamp');\n`;
}
