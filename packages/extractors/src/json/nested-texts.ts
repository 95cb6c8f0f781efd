import type { Json } from './jsonpath.ts';
import { parseJsonText, setOwn } from './loose-value.ts';

/** Texts in texts in texts. */
const MAX_LEVELS = 4;

function parsed(text: string): Json | undefined {
  if (!/^\s*(?:\[|\{\s*["}])/.test(text)) return undefined;
  const value = parseJsonText(text.trim());
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** The value with each text that is itself a JSON object or array as that; undefined when it has none. */
export function openTexts(value: Json, level = 0): Json | undefined {
  if (typeof value === 'string') {
    const inner = level < MAX_LEVELS ? parsed(value) : undefined;
    return inner === undefined ? undefined : (openTexts(inner, level + 1) ?? inner);
  }
  if (typeof value !== 'object' || value === null) return undefined;
  let isOpened = false;
  const open = (inner: Json): Json => {
    const opened = openTexts(inner, level);
    if (opened === undefined) return inner;
    isOpened = true;
    return opened;
  };
  if (Array.isArray(value)) {
    const items = value.map(open);
    return isOpened ? items : undefined;
  }
  const made: Record<string, Json> = {};
  for (const [key, inner] of Object.entries(value)) setOwn(made, key, open(inner));
  return isOpened ? made : undefined;
}
