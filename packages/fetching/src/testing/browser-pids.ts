import { BROWSER_MARK } from '../browser/chromium-launcher.ts';
import { findProcesses } from '../browser/process-tree.ts';

/** Browsers that this test process started, of any fetcher. */
export function browserPids(): Promise<number[]> {
  return findProcesses(BROWSER_MARK, process.pid);
}
