import type { ScrapeConfig } from '@gleaner/contracts';

/** Merges configurations field by field; the more specific one wins. */
export function mergeScrapeConfig(...layers: readonly (ScrapeConfig | undefined)[]): ScrapeConfig {
  const merged: Record<string, unknown> = {};
  for (const layer of layers) {
    for (const [name, value] of Object.entries(layer ?? {})) {
      if (value !== undefined) merged[name] = value;
    }
  }
  return merged;
}
