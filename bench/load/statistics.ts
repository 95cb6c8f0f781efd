/** The value below which that share of the numbers lies (nearest rank). NaN for none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export interface Summary {
  n: number;
  median: number;
  p95: number;
  p99: number;
  max: number;
}

/** Rounded to three digits after the point. */
export function summarise(values: readonly number[]): Summary {
  return {
    n: values.length,
    median: rounded(median(values)),
    p95: rounded(percentile(values, 0.95)),
    p99: rounded(percentile(values, 0.99)),
    max: rounded(percentile(values, 1)),
  };
}

export function rounded(value: number, digits = 3): number {
  return Number(value.toFixed(digits));
}
