/** The key that is held for commands, before another: `⌘ K` on a Mac, else `Ctrl K`. */
export const MOD_KEY = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
