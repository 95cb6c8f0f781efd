import type { Snippet } from '../parts/code-dialog.tsx';
import type { Draft } from './schema/draft.ts';

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A saved parser as code: run it over a page from elsewhere. */
export function parserSnippets(origin: string, parserId: string, url: string): Snippet[] {
  const page = url === '' ? 'https://example.com/' : url;
  const address = `${origin}/v1/scrape/${parserId}?url=${encodeURIComponent(page)}`;
  return [
    { label: 'curl', text: `curl -s ${quoted(address)} -H "X-API-Key: $GLEANER_KEY"` },
    {
      label: 'TypeScript',
      text: `import { createClient } from '@gleaner/client';

const gleaner = createClient({ baseUrl: '${origin}', apiKey: process.env.GLEANER_KEY });
const data = await gleaner.scrape('${parserId}', '${page}');`,
    },
    {
      label: 'Python',
      text: `import os, requests

answer = requests.get(
    "${origin}/v1/scrape/${parserId}",
    params={"url": "${page}"},
    headers={"X-API-Key": os.environ["GLEANER_KEY"]},
)
answer.raise_for_status()
print(answer.json())`,
    },
    {
      label: 'MCP',
      text: `// In the configuration of an MCP client. Then ask it to use the tool scrape with
// parserId ${parserId} and url ${page}
${JSON.stringify(
  {
    mcpServers: {
      gleaner: { type: 'http', url: `${origin}/mcp`, headers: { 'X-API-Key': '${GLEANER_KEY}' } },
    },
  },
  null,
  2,
)}`,
    },
    {
      label: 'Command line',
      text: `# The same schema over a saved page, with nothing running:
curl -s ${origin}/v1/parsers/${parserId} -H "X-API-Key: $GLEANER_KEY" | jq .schema > schema.json
npm run -s gleaner -- extract --schema schema.json page.html`,
    },
  ];
}

/** A schema that isn't saved, as code: try it on a page. */
export function schemaSnippets(origin: string, draft: Draft, url: string): Snippet[] {
  const page = url === '' ? 'https://example.com/' : url;
  const body = JSON.stringify({ schema: draft, url: page }, null, 2);
  return [
    {
      label: 'curl',
      text: `curl -s ${origin}/v1/parsers/preview -H "X-API-Key: $GLEANER_KEY" \\
  -H 'Content-Type: application/json' -d ${quoted(body)}`,
    },
    {
      label: 'Python',
      text: `import json, os, requests

body = json.loads(r"""${body}""")
answer = requests.post(
    "${origin}/v1/parsers/preview",
    json=body,
    headers={"X-API-Key": os.environ["GLEANER_KEY"]},
)
answer.raise_for_status()
print(answer.json()["data"])`,
    },
    {
      label: 'Command line',
      text: `# Saved as schema.json and page.html, with nothing running:
npm run -s gleaner -- extract --schema schema.json${url === '' ? '' : ` --url ${quoted(url)}`} page.html

# schema.json
${JSON.stringify(draft, null, 2)}`,
    },
  ];
}
