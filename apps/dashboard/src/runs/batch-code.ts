import { codeText, shellText } from '../format/code-text.ts';
import type { Snippets } from '../parts/code-button.tsx';

/** How a program follows a batch and takes its results. */
export function batchSnippets(origin: string, batchId: string): Snippets {
  const base = `${origin}/v1/batches/${batchId}`;
  return {
    curl: `curl -sN ${shellText(`${base}/events`)} -H "X-API-Key: $GLEANER_API_KEY"
curl -s ${shellText(`${base}/export?format=ndjson`)} -H "X-API-Key: $GLEANER_API_KEY" -o results.ndjson`,
    TypeScript: `import { createClient } from '@gleaner/client';

const gleaner = createClient({ baseUrl: ${codeText(origin)}, apiKey: process.env.GLEANER_API_KEY });
for await (const { url, data } of gleaner.batches.results(${codeText(batchId)})) console.log(url, data);`,
    Python: `import json, os, requests

with requests.get(
    ${codeText(`${base}/export`)},
    headers={"X-API-Key": os.environ["GLEANER_API_KEY"]},
    stream=True,
) as answer:
    answer.raise_for_status()
    for line in answer.iter_lines():
        print(json.loads(line))`,
  };
}
