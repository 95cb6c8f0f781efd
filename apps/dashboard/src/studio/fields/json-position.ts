/** The members and indexes of a fault's path: `fields.price.css[0]` → `['fields', 'price', 'css', 0]`. */
function stepsOf(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) =>
    index === undefined ? (name ?? '') : Number(index),
  );
}

/** The position of the value at a path in a complete JSON text. Falls back to the nearest value around it. */
export function findPosition(text: string, path: string): { from: number; to: number } {
  let at = 0;
  const space = (): void => {
    while (/\s/.test(text.charAt(at))) at += 1;
  };
  const string = (): string => {
    const from = at;
    at += 1;
    while (text.charAt(at) !== '"' && at < text.length) at += text.charAt(at) === '\\' ? 2 : 1;
    at += 1;
    return text.slice(from, at);
  };
  /** Reads a value; gives where the wanted one within it is. */
  const value = (steps: readonly (string | number)[]): { from: number; to: number } => {
    space();
    const from = at;
    let found: { from: number; to: number } | undefined;
    const [step, ...rest] = steps;
    const opening = text.charAt(at);
    if (opening === '{' || opening === '[') {
      at += 1;
      for (let index = 0; at < text.length; index += 1) {
        space();
        if (text.charAt(at) === '}' || text.charAt(at) === ']') break;
        let key: string | number = index;
        if (opening === '{') {
          key = JSON.parse(string()) as string;
          space();
          at += 1;
        }
        const inner = value(key === step ? rest : []);
        if (key === step) found = inner;
        space();
        if (text.charAt(at) === ',') at += 1;
      }
      at += 1;
    } else if (opening === '"') string();
    else while (at < text.length && !/[,\]}\s]/.test(text.charAt(at))) at += 1;
    return found ?? { from, to: at };
  };
  return value(stepsOf(path));
}
