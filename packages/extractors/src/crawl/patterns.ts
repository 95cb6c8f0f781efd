import { compileWildcards } from '@gleaner/contracts/text';
import { canonicalEscapes, type Address } from './normalise.ts';

export type AddressTest = (address: Address) => boolean;

/** Writes what stands in a pattern as addresses have it: `/café/*` is `/caf%C3%A9/*`. */
function canonicalPath(pattern: string, escapes: typeof canonicalEscapes): string {
  const query = pattern.indexOf('?');
  const encoded = pattern.replace(/[^\w.~!$&()*+,;=:@%/?#\\-]/gu, (character, offset: number) => {
    const { pathname, search } = new URL(
      query !== -1 && offset > query ? `http://x/?${character}.` : `http://x/${character}.`,
    );
    return (search || pathname).slice(1, -1);
  });
  return escapes(encoded);
}

function canonicalHost(pattern: string, ownPort: string): string {
  const host = pattern.toLowerCase();
  const labels = host.endsWith(ownPort) ? host.slice(0, -ownPort.length) : host;
  return labels
    .split('.')
    .map((label) => (/[^\0-\x7f]/.test(label) ? (URL.parse(`http://${label}`)?.host ?? label) : label))
    .join('.');
}

function wholeTest(scheme: string, rest: string, escapes: typeof canonicalEscapes): AddressTest {
  const slash = rest.indexOf('/');
  const host = slash === -1 ? rest : rest.slice(0, slash);
  const path = slash === -1 ? (host.endsWith('*') ? '' : '/') : rest.slice(slash);
  const ownPort = scheme.toLowerCase() === 'https' ? ':443' : ':80';
  const matches = compileWildcards(canonicalHost(host, ownPort) + canonicalPath(path, escapes));
  return ({ afterScheme }) => matches(afterScheme);
}

/**
 * A test of addresses against a pattern, in which `*` stands for anything and nothing else is special. A pattern that
 * starts with `/` is compared with path and query, others with the whole address; http and https are the same.
 */
function compilePattern(pattern: string, escapes: typeof canonicalEscapes): AddressTest {
  const [, scheme, rest] = /^(https?):\/\/(.*)$/is.exec(pattern) ?? [];
  if (scheme !== undefined && rest !== undefined) return wholeTest(scheme, rest, escapes);
  const matches = compileWildcards(canonicalPath(pattern, escapes));
  return pattern.startsWith('/')
    ? ({ pathAndQuery }) => matches(pathAndQuery)
    : ({ whole }) => matches(whole);
}

/**
 * Whether an address fits one of the patterns.
 * @param escapes how the addresses are escaped
 */
export function compilePatterns(
  patterns: string | readonly string[],
  escapes = canonicalEscapes,
): AddressTest {
  const tests = [patterns].flat().map((pattern) => compilePattern(pattern, escapes));
  return (address) => tests.some((fits) => fits(address));
}
