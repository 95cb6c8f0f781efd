import { isOneOf } from '@gleaner/contracts/values';

type Read = (value: unknown) => unknown;

/** Makes what reads an address behind its `?`, of how each member is read. A member that is not right is left out. */
export function searchReader<Reads extends Readonly<Record<string, Read>>>(reads: Reads) {
  const names = Object.entries(reads);
  return (search: Record<string, unknown>) =>
    Object.fromEntries(names.map(([name, read]) => [name, read(search[name])])) as {
      [Name in keyof Reads]?: ReturnType<Reads[Name]>;
    };
}

export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function readOneOf<V extends string>(values: readonly V[]): (value: unknown) => V | undefined {
  return (value) => (isOneOf(values, value) ? value : undefined);
}

/** What a list is searched for. Digits alone arrive as a number. */
export function readSearched(value: unknown): string | undefined {
  return readText(typeof value === 'number' ? String(value) : value);
}

/** The search of a list, in the page's address. */
export const readListSearch = searchReader({ search: readSearched });
