/** The values that a sample must read, by field. */
export type Pins = Readonly<Record<string, unknown>>;

/** One field of a sample. */
export interface SampleRow {
  name: string;
  /** What the current version reads. */
  read: unknown;
  isPinned: boolean;
  /** What it must read, if it is pinned. */
  pinned: unknown;
  isSame: boolean;
}

/** The fields that a sample reads, then those that are only pinned. */
export function sampleRows(read: Pins, pins: Pins): SampleRow[] {
  const names = [...new Set([...Object.keys(read), ...Object.keys(pins)])];
  return names.map((name) => ({
    name,
    read: read[name],
    isPinned: Object.hasOwn(pins, name),
    pinned: pins[name],
    isSame: JSON.stringify(read[name] ?? null) === JSON.stringify(pins[name]),
  }));
}

/** The pins with one more, or without one. A field without a value is pinned to null. */
export function withPin(pins: Pins, name: string, pin: { value: unknown } | undefined): Pins {
  const { [name]: _, ...others } = pins;
  return pin === undefined ? others : { ...pins, [name]: pin.value ?? null };
}
