/**
 * Closes connections that a client keeps although their answer was not read to its end. impit gives them up only when
 * V8 collects the answer, which can take minutes: neither its abort nor cancelling the body closes them (0.14.4).
 */
export interface LeftoverConnections {
  /** Runs one exchange with `target`. It leaves its connection behind when it fails or its answer is cut. */
  track<T extends { isCut: boolean }>(target: string, exchange: () => Promise<T>): Promise<T>;
}

/**
 * @param close Closes all connections to a target. It runs when no exchange with the target is under way, because the
 *   transport does not know which connection an exchange used.
 */
export function createLeftoverConnections(close: (target: string) => void): LeftoverConnections {
  const targets = new Map<string, { exchanges: number; hasLeftover: boolean }>();
  return {
    track: async (target, exchange) => {
      const state = targets.get(target) ?? { exchanges: 0, hasLeftover: false };
      targets.set(target, state);
      state.exchanges += 1;
      let isLeftover = true;
      try {
        const answer = await exchange();
        isLeftover = answer.isCut;
        return answer;
      } finally {
        state.exchanges -= 1;
        state.hasLeftover ||= isLeftover;
        if (state.exchanges === 0) {
          targets.delete(target);
          if (state.hasLeftover) close(target);
        }
      }
    },
  };
}
