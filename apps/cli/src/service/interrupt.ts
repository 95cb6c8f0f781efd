/**
 * Calls back at the first Ctrl-C or SIGTERM. scripts/run.mjs passes the terminal's signal on, so it can arrive twice.
 */
export function onInterrupt(stop: () => void): { forget(): void } {
  let isStopped = false;
  const listen = (): void => {
    if (isStopped) return;
    isStopped = true;
    stop();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, listen);
  return {
    forget: () => {
      for (const signal of signals) process.off(signal, listen);
    },
  };
}
