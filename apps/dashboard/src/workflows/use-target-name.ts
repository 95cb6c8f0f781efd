import { useCallback } from 'react';
import { parserName, useParsers } from '../targets/use-parsers.ts';
import type { Stage } from './stages.ts';

/** Names what a stage runs. */
export function useTargetName(): (target: Stage['target']) => string {
  const parsers = useParsers();
  return useCallback(
    (target) => {
      if (target.type === 'api') return target.id;
      const name = parserName(parsers, target.parserId) ?? 'a parser';
      return target.version === undefined ? name : `${name} v${target.version}`;
    },
    [parsers],
  );
}
