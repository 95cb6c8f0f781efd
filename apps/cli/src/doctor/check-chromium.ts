import type { Config } from '@gleaner/core/config';
import { probeChromium } from '@gleaner/fetching';
import { ok, warning, type Finding } from './finding.ts';

/** Checks that Chromium starts and loads a page, and whether its sandbox holds. */
export async function checkChromium(
  config: Pick<Config, 'chromiumPath' | 'workerQueues'>,
): Promise<Finding[]> {
  if (!config.workerQueues.includes('browser'))
    return [ok('chromium', 'not needed: GLEANER_WORKER_QUEUES has no browser')];
  const { path, source, version, noSandboxReason } = await probeChromium(config.chromiumPath);
  return [
    ok('chromium', `Chromium ${version} (${source}: ${path}) loads a page`),
    noSandboxReason === undefined
      ? ok('chromium sandbox', 'a page loads with it')
      : warning(
          'chromium sandbox',
          `Chromium runs without its sandbox: ${noSandboxReason}`,
          'Run workers as a user other than root, and allow user namespaces (docs/operate/fetching.md).',
        ),
  ];
}
