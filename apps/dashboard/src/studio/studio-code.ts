import { codeText, pythonRequest, shellText } from '../format/code-text.ts';
import type { Snippets } from '../parts/code-button.tsx';
import type { Draft } from './schema/draft.ts';

/** A saved parser as code: run it over a page from elsewhere. */
export function parserSnippets(origin: string, parserId: string, url: string): Snippets {
  const page = url === '' ? 'https://example.com/' : url;
  const address = `${origin}/v1/scrape/${parserId}?url=${encodeURIComponent(page)}`;
  return {
    curl: `curl -s ${shellText(address)} -H "X-API-Key: $GLEANER_API_KEY"`,
    TypeScript: `import { createClient } from '@gleaner/client';

const gleaner = createClient({ baseUrl: ${codeText(origin)}, apiKey: process.env.GLEANER_API_KEY });
const data = await gleaner.scrape(${codeText(parserId)}, ${codeText(page)});`,
    Python: `import os, requests

${pythonRequest('get', `${origin}/v1/scrape/${parserId}`, `params={"url": ${codeText(page)}}`)}`,
    MCP: `// In the configuration of an MCP client. Then ask it to use the tool scrape with
// parserId ${parserId} and url ${codeText(page)}
${JSON.stringify(
  {
    mcpServers: {
      gleaner: { type: 'http', url: `${origin}/mcp`, headers: { 'X-API-Key': '${GLEANER_API_KEY}' } },
    },
  },
  null,
  2,
)}`,
    'Command line': `# The same schema over a saved page, with nothing running:
curl -s ${shellText(`${origin}/v1/parsers/${parserId}`)} -H "X-API-Key: $GLEANER_API_KEY" | jq .schema > schema.json
npm run -s gleaner -- extract --schema schema.json page.html`,
  };
}

/** A schema that isn't saved, as code: try it on a page. */
export function schemaSnippets(origin: string, draft: Draft, url: string): Snippets {
  const page = url === '' ? 'https://example.com/' : url;
  const body = codeText({ schema: draft, url: page }, 2);
  return {
    curl: `curl -s ${shellText(`${origin}/v1/parsers/preview`)} -H "X-API-Key: $GLEANER_API_KEY" \\
  -H 'Content-Type: application/json' -d ${shellText(body)}`,
    Python: `import json, os, requests

body = json.loads(r"""${body}""")
${pythonRequest('post', `${origin}/v1/parsers/preview`, 'json=body')}`,
    'Command line': `# The page is saved as page.html. With nothing running:
cat > schema.json <<'EOF'
${codeText(draft, 2)}
EOF
npm run -s gleaner -- extract --schema schema.json${url === '' ? '' : ` --url ${shellText(url)}`} page.html`,
  };
}
