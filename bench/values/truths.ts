import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { requireTestData } from '../../test/test-data.mjs';

/** A real page with what people say of it. */
export interface TruePage {
  id: string;
  url: string;
  type: string;
  author: string | null;
  publish_date: string | null;
  main_content: string;
  with: string[];
  without: string[];
  body: Uint8Array;
  /** What was tuned on the pages of one half is checked on those of the other. */
  half: 'tune' | 'check';
}

type Truth = Omit<TruePage, 'body' | 'half' | 'id' | 'main_content'> & { main_content: string | null };

function readTruths(folder: string): Record<string, Truth> {
  const truths: unknown = JSON.parse(readFileSync(join(folder, 'truth.json'), 'utf8'));
  return truths as ReturnType<typeof readTruths>;
}

/** The pages with their main content. Throws with a hint where they are missing. */
export function readTruePages(): TruePage[] {
  const folder = requireTestData('content');
  const halves = new Map<string, TruePage['half']>();
  return Object.entries(readTruths(folder)).map(([id, truth]) => {
    // Pages of one host look alike, so they are in one half.
    const host = URL.parse(truth.url)?.host ?? id;
    const half = halves.get(host) ?? (halves.size % 2 === 0 ? 'tune' : 'check');
    halves.set(host, half);
    const body = gunzipSync(readFileSync(join(folder, 'pages', `${id}.html.gz`)));
    return { ...truth, id, half, body, main_content: truth.main_content ?? '' };
  });
}

/** Pages whose content came by script have none. */
export function hasContent({ main_content: content }: TruePage): boolean {
  return content.trim() !== '';
}
