export function isInstalled(root: string, machine?: { platform: string; arch: string }): boolean;
