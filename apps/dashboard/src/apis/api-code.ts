import { codeText, shellText } from '../format/code-text.ts';
import type { Snippet } from '../parts/code-dialog.tsx';

/** How a program calls a prebuilt API with the values of its form. */
export function apiSnippets(
  origin: string,
  path: string,
  values: Readonly<Record<string, unknown>>,
): Snippet[] {
  const query = new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)]));
  const url = `${origin}${path}?${query.toString()}`;
  return [
    { label: 'curl', text: `curl -s ${shellText(url)} -H "X-API-Key: $GLEANER_KEY"` },
    {
      label: 'Python',
      text: `import os, requests

answer = requests.get(
    ${codeText(origin + path)},
    params=${codeText(values)},
    headers={"X-API-Key": os.environ["GLEANER_KEY"]},
)
answer.raise_for_status()
print(answer.json())`,
    },
  ];
}
