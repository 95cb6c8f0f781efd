interface Window {
  from: number;
  said: number;
  unsaid: number;
}

export interface FloodLimit {
  /** Lines of one text that a window may have. */
  lines: number;
  windowMs: number;
  now?: () => number;
}

/**
 * Says of each line of a log whether it is written. What fails while a server is away fails several times a second with
 * the same text, and would bury everything else.
 * @returns `undefined` for a line to leave out, else how many of its text were left out since the last window
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
