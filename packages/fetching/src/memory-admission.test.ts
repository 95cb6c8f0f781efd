import { describe, expect, it } from 'vitest';
import {
  createMemoryAdmission,
  readMachineUse,
  readMemoryLimit,
  readMemoryUse,
  type Admission,
  type MemoryUse,
} from './memory-admission.ts';

describe('memory admission', () => {
  it('reads a limit and a use that make sense', () => {
    const { usedBytes, limitBytes } = readMemoryUse();
    expect(usedBytes).toBeGreaterThan(1e6);
    expect(limitBytes).toBeGreaterThan(usedBytes);
  });

  it('takes a small container on a busy machine for what it is', () => {
    const container: MemoryUse = { source: 'cgroup2', limitBytes: 2e9, usedBytes: 0.1e9 };
    const machine: MemoryUse = { source: 'machine', limitBytes: 64e9, usedBytes: 32e9 };
    expect(readMemoryUse([container, machine])).toBe(machine);
    expect(readMemoryLimit([container, machine])).toBe(2e9);
    expect(readMemoryLimit()).toBeLessThanOrEqual(readMemoryUse().limitBytes);
  });

  it('counts only its own memory on a system that does not say how much is available', () => {
    const { source, usedBytes, limitBytes } = readMachineUse(undefined);
    expect(source).toBe('process');
    expect(usedBytes).toBeGreaterThan(1e6);
    expect(usedBytes).toBeLessThan(limitBytes / 2);
    const linux = readMachineUse('MemFree:  1 kB\nMemAvailable:    2048 kB\n');
    expect(linux).toEqual({ source: 'machine', limitBytes, usedBytes: limitBytes - 2 * 1_024 ** 2 });
  });

  it('stops new work before memory runs out, says why, and takes work again when it is free', async () => {
    let usedBytes = 100;
    const changes: Admission[] = [];
    const admission = createMemoryAdmission({
      readMemory: () => ({ usedBytes, limitBytes: 1_000, source: 'cgroup2' }),
      intervalMs: 5,
      onChange: (state) => changes.push(state),
    });
    expect(admission.state().isOpen).toBe(true);
    usedBytes = 900;
    await expect.poll(() => admission.state().isOpen).toBe(false);
    expect(admission.state().reason).toMatch(/^memory: /);
    // In between it stays closed: no flapping at the limit.
    usedBytes = 850;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(admission.state().isOpen).toBe(false);
    usedBytes = 500;
    await expect.poll(() => admission.state().isOpen).toBe(true);
    expect(changes.map(({ isOpen }) => isOpen)).toEqual([false, true]);
    admission.close();
  });
});
