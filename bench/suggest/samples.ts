import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suggestSchema } from '@gleaner/learn';
import { findTestData } from '../../test/test-data.mjs';

interface Sample {
  readonly body: string;
  readonly examples: Record<string, string | number>;
}

function examplesIn(expected: Record<string, unknown>): Sample['examples'] {
  return Object.fromEntries(
    Object.entries(expected).filter((entry): entry is [string, string | number] => {
      const [name, value] = entry;
      if (!/^[a-z][a-z0-9_]*$/.test(name)) return false;
      return typeof value === 'number' || (typeof value === 'string' && value !== '' && value.length <= 300);
    }),
  );
}

function readSamples(): Sample[] {
  const { path: folder, isMissing } = findTestData('samples');
  if (isMissing) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) =>
      readdirSync(join(folder, name))
        .filter((file) => file.endsWith('.html'))
        .flatMap((file) => {
          const expected = join(folder, name, file.replace(/\.html$/, '.expected.json'));
          if (!existsSync(expected)) return [];
          const examples = examplesIn(JSON.parse(readFileSync(expected, 'utf8')) as Record<string, unknown>);
          if (Object.keys(examples).length === 0) return [];
          return [{ body: readFileSync(join(folder, name, file), 'utf8'), examples }];
        }),
    );
}

export interface SampleFigures {
  pages: number;
  /** Examples, and those that the schema learned from their page gives on it. */
  examples: number;
  given: number;
}

/**
 * Recorded pages of single-page applications with their known values, each by itself: no two are of one template. Some
 * known values are computed and stand nowhere on their page.
 */
export function measureSamples(): SampleFigures {
  const figures: SampleFigures = { pages: 0, examples: 0, given: 0 };
  for (const { body, examples } of readSamples()) {
    const { fields } = suggestSchema([{ body, url: 'https://site.example/', examples }]);
    figures.pages += 1;
    figures.examples += fields.length;
    figures.given += fields.filter(({ missed }) => missed.length === 0).length;
  }
  return figures;
}
