/** The value below which that share of the numbers lies (nearest rank). NaN for none. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
};

export const median = (values: readonly number[]): number => percentile(values, 0.5);

export interface Summary {
  n: number;
  median: number;
  p95: number;
  p99: number;
  max: number;
}

/** Rounded to three digits after the point. */
export const summarise = (values: readonly number[]): Summary => ({
  n: values.length,
  median: rounded(median(values)),
  p95: rounded(percentile(values, 0.95)),
  p99: rounded(percentile(values, 0.99)),
  max: rounded(percentile(values, 1)),
});

export const rounded = (value: number, digits = 3): number => Number(value.toFixed(digits));
