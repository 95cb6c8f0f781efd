const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** `12,480` */
export function formatNumber(value: number): string {
  return whole.format(value);
}

/** `1 page`, `3 pages` */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** `1.2 MB` */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1000, 'KB'] : [bytes / 1_000_000, 'MB'];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** `97 %`; never 100 % or 0 % unless it is exactly so. */
export function formatShare(part: number, total: number): string {
  if (total === 0) return '–';
  const percent = (part / total) * 100;
  if (part === total) return '100 %';
  if (part === 0) return '0 %';
  return `${Math.min(99, Math.max(1, Math.round(percent)))} %`;
}
