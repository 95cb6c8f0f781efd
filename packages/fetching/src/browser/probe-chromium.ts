import { createChromiumLauncher } from './chromium-launcher.ts';
import { findChromium, type ChromiumChoice } from './find-chromium.ts';

/** A Chromium that started and loaded a page. */
export interface ChromiumProbe extends ChromiumChoice {
  version: string;
  /** Absent: it runs with its sandbox. */
  noSandboxReason: string | undefined;
}

/**
 * Finds Chromium, launches it as a worker does and loads one page of its own, which decides whether the sandbox holds.
 * @throws AppError when there is none; what Playwright throws when it does not start or its page does not load
 */
export async function probeChromium(executablePath: string | undefined): Promise<ChromiumProbe> {
  const { chromium } = await import('playwright');
  const choice = await findChromium({ executablePath, playwrightPath: chromium.executablePath() });
  // Chromium refuses to run as root with its sandbox.
  const isRoot = process.getuid?.() === 0;
  let noSandboxReason = isRoot ? 'this user is root' : undefined;
  const launcher = createChromiumLauncher(chromium, {
    executablePath: choice.path,
    sandbox: !isRoot,
    launchMs: 8_000,
    onNoSandbox: () => {
      noSandboxReason = 'no page loads with it on this machine';
    },
    onProbed: () => undefined,
    onLaunch: () => undefined,
  });
  const browser = await launcher.launch();
  const version = browser.version();
  await browser.close();
  return { ...choice, version, noSandboxReason };
}
