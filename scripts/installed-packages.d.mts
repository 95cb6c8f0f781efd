export function isInstalled(
  root: string,
  options?: { forDevelopment?: boolean; machine?: { platform: string; arch: string } },
): boolean;
