import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiId } from '@gleaner/contracts';
import type { SiteResponse } from '@gleaner/extractors/sites';

export interface Sample {
  api: ApiId;
  name: string;
  responses: SiteResponse[];
  expected: unknown;
}

function recorded(body: string): SiteResponse {
  return { url: '', status: 200, body };
}

function bodyFiles(folder: string, name: string): string[] {
  return [`${name}.html`, `${name}.json`, `${name}.player.json`, `${name}.next.json`]
    .map((file) => join(folder, file))
    .filter((file) => existsSync(file));
}

/** Every recording below a folder that has expected values; variants in subfolders included. */
export function readSamples(root: string, api: ApiId): Sample[] {
  const folder = join(root, api);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.expected.json'))
    .toSorted()
    .map((file) => {
      const name = file.slice(0, -'.expected.json'.length);
      return {
        api,
        name,
        responses: bodyFiles(folder, name).map((path) => recorded(readFileSync(path, 'utf8'))),
        expected: JSON.parse(readFileSync(join(folder, file), 'utf8')) as unknown,
      };
    });
}
