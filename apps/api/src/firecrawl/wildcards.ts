/** Characters that mean themselves in a regular expression. */
const LITERAL = /[^.^$*+?()[\]{}|\\]/;

/** What can't be said by wildcards. */
class NotWildcards extends Error {}

/** One alternative without its anchors, with `*` for `.*`. @throws NotWildcards */
function translate(pattern: string, isAnchoredAtEnd: boolean): string {
  let text = '';
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    const next = pattern.charAt(at + 1);
    if (character === '.' && next === '*') {
      text += '*';
      at += 1;
    } else if (character === '\\' && /[^\w\s]/.test(next) && next !== '*') {
      text += next;
      at += 1;
    } else if (LITERAL.test(character)) {
      // The slash of `blog/*` may repeat or be missing: only `blog` is required.
      const isRepeated = next === '*';
      if (isRepeated && (at + 2 < pattern.length || isAnchoredAtEnd)) throw new NotWildcards();
      if (isRepeated) break;
      text += character;
    } else throw new NotWildcards();
  }
  return text.replaceAll(/\*{2,}/g, '*');
}

/** The patterns of paths that stand for an alternative: a path begins with a slash and may have a query. */
function pathPatterns(text: string, isAtStart: boolean, isAtEnd: boolean): string[] {
  const begin = text.startsWith('/') ? [text] : [];
  const begins = isAtStart ? (text.startsWith('*') ? [`/${text}`] : begin) : [...begin, `/*${text}`];
  return begins
    .map((one) => one.replaceAll(/\*{2,}/g, '*'))
    .flatMap((one) => {
      if (one.endsWith('*')) return [one];
      return isAtEnd ? [one, `${one}?*`] : [`${one}*`];
    });
}

/** The patterns of whole addresses. */
function addressPatterns(text: string, isAtStart: boolean, isAtEnd: boolean): string[] {
  const whole = `${isAtStart ? '' : '*'}${text}${isAtEnd ? '' : '*'}`;
  return [whole.replaceAll(/\*{2,}/g, '*')];
}

/**
 * Writes a regular expression as patterns of a crawl, in which `*` stands for anything. It fits what one of them fits.
 * @param isWhole compared with whole addresses, else with paths
 * @returns undefined when wildcards can't say it
 */
export function wildcardsOf(expression: string, isWhole: boolean): string[] | undefined {
  try {
    const patterns = expression.split(/(?<!\\)\|/).flatMap((alternative) => {
      const isAtStart = alternative.startsWith('^');
      const isAtEnd = /(?<!\\)\$$/.test(alternative);
      const inner = alternative.slice(isAtStart ? 1 : 0, isAtEnd ? -1 : undefined);
      const text = translate(inner, isAtEnd);
      return (isWhole ? addressPatterns : pathPatterns)(text, isAtStart, isAtEnd);
    });
    return patterns.length === 0 ? undefined : patterns;
  } catch (error) {
    if (error instanceof NotWildcards) return undefined;
    throw error;
  }
}
