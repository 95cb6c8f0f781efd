import { codeText, pythonRequest, shellText } from '../format/code-text.ts';
import type { Snippets } from '../parts/code-button.tsx';

/** How a program calls a prebuilt API with the values of its form. */
export function apiSnippets(
  origin: string,
  path: string,
  values: Readonly<Record<string, unknown>>,
): Snippets {
  const query = new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)]));
  const url = `${origin}${path}?${query.toString()}`;
  return {
    curl: `curl -s ${shellText(url)} -H "X-API-Key: $GLEANER_API_KEY"`,
    Python: `import os, requests

${pythonRequest('get', origin + path, `params=${codeText(values)}`)}`,
  };
}
