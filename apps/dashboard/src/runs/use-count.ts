import { useEffect, useState } from 'react';
import { countInputs, type InputCount } from './count-inputs.ts';

const NO_COUNT: InputCount = { lines: 0, refused: 0, examples: [], isDone: true };

/** Counts inputs as soon as they are there, and again when they change. */
export function useCount(inputs: Blob | undefined, checksUrls: boolean): InputCount {
  const [count, setCount] = useState(NO_COUNT);
  useEffect(() => {
    if (!inputs) {
      setCount(NO_COUNT);
      return undefined;
    }
    const controller = new AbortController();
    const run = async (): Promise<void> => {
      for await (const next of countInputs(inputs, { checksUrls, signal: controller.signal })) setCount(next);
    };
    run().catch(() => undefined);
    return () => controller.abort();
  }, [inputs, checksUrls]);
  return count;
}
