/** The host part of a URL by a cheap scan; equal hosts only need equal texts. */
function hostOf(url: string): string {
  const start = url.indexOf('//') + 2;
  const end = url.indexOf('/', start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

/**
 * The order in which a chunk visits its inputs, as positions. It alternates between hosts, so that no host uses all slots
 * while others wait.
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
