import type { ScrapeConfig } from '@gleaner/contracts';

/** The nearer configuration wins field by field. */
export function mergeScrapeConfig(...layers: readonly (ScrapeConfig | undefined)[]): ScrapeConfig {
  const merged: Record<string, unknown> = {};
  for (const layer of layers) {
    for (const [name, value] of Object.entries(layer ?? {})) {
      if (value !== undefined) merged[name] = value;
    }
  }
  return merged;
}
