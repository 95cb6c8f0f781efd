import { readRobots } from '@gleaner/fetching';
import { readSuite } from './suite.ts';

interface Expectation {
  robots: string;
  agent: string;
  url: string;
  allowed: boolean;
}

/** Google's expectations of its robots.txt parser. */
export function measureRobots(): void {
  const cases = readSuite<Expectation>('robots.json');
  const right = cases.filter(
    ({ robots, agent, url, allowed }) =>
      (readRobots(robots, agent).decide(new URL(url)) === 'allowed') === allowed,
  );
  console.log(`robots.txt: ${right.length} of ${cases.length} as Google (bar 136)`);
}
