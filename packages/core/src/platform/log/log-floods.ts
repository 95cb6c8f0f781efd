interface Window {
  from: number;
  said: number;
  unsaid: number;
}

export interface FloodLimit {
  /** The most lines with the same text per window. */
  lines: number;
  windowMs: number;
  now?: () => number;
}

/**
 * Decides whether a log line is written. While a server is unavailable, the same failure can repeat several times a
 * second and would hide all other lines.
 * @returns `undefined` for a line to omit, else the number of lines with this text that were omitted in the last window
 */
export function createFloodGate({ lines, windowMs, now = Date.now }: FloodLimit) {
  const windows = new Map<string, Window>();
  return (text: string): number | undefined => {
    const at = now();
    const window = windows.get(text);
    if (window === undefined || at - window.from >= windowMs) {
      windows.set(text, { from: at, said: 1, unsaid: 0 });
      return window?.unsaid ?? 0;
    }
    if (window.said < lines) {
      window.said += 1;
      return 0;
    }
    window.unsaid += 1;
    return undefined;
  };
}
