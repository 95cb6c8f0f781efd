/** The host part of a URL, cheaply; the same text for the same host is enough here. */
function hostOf(url: string): string {
  const start = url.indexOf('//') + 2;
  const end = url.indexOf('/', start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

/**
 * The order in which a chunk visits its inputs: hosts in turn, so that no host gets all slots at once while others
 * wait. Positions, each once.
 */
export function interleaveHosts(inputs: readonly string[]): number[] {
  const byHost = new Map<string, number[]>();
  for (const [position, input] of inputs.entries()) {
    const host = hostOf(input);
    const positions = byHost.get(host);
    if (positions) positions.push(position);
    else byHost.set(host, [position]);
  }
  if (byHost.size === 1) return inputs.map((_, position) => position);
  const order: number[] = [];
  const queues = [...byHost.values()];
  for (let round = 0; order.length < inputs.length; round += 1) {
    for (const queue of queues) {
      const position = queue[round];
      if (position !== undefined) order.push(position);
    }
  }
  return order;
}
