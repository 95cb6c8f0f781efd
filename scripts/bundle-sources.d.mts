export const dist: string;
export const DIGEST_FILE: string;
export function digestSources(): string;
export function isBundled(): boolean;
