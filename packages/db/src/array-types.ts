import type postgres from 'postgres';

/** The ids of types' arrays and of the types, in every Postgres. */
const ARRAYS: readonly (readonly [array: number, element: number])[] = [
  [1000, 16],
  [1001, 17],
  [1003, 19],
  [1005, 21],
  [1007, 23],
  [1009, 25],
  [1014, 1042],
  [1015, 1043],
  [1016, 20],
  [1021, 700],
  [1022, 701],
  [1028, 26],
  [199, 114],
  [2951, 2950],
  [3807, 3802],
];

const ELEMENT = /"((?:[^"\\]|\\.)*)"|([^,{}]+)/gs;

/**
 * Teaches a client of postgres.js arrays of one dimension. It would ask each connection for its types, in a statement whose
 * error no caller gets: a connection that is lost then ends the process.
 */
export function addArrayTypes({ parsers, serializers }: postgres.Sql['options']): void {
  const types: Record<number, (value: never) => unknown> = parsers;
  for (const [array, element] of ARRAYS) {
    const parse = (text: string): unknown => types[element]?.(text as never) ?? text;
    types[array] = (text: string) =>
      [...text.matchAll(ELEMENT)].map(([, quoted, bare]) =>
        bare === 'NULL' ? null : parse(bare ?? quoted?.replaceAll(/\\(.)/gs, '$1') ?? ''),
      );
    serializers[array] = (values: unknown) => {
      if (!Array.isArray(values)) return values;
      // Read now: others may have changed it since.
      const serialize: (value: unknown) => unknown = serializers[element] ?? String;
      const texts = values.map((value: unknown) => {
        if (value === null) return 'null';
        const text = serialize(value) as string;
        return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
      });
      return `{${texts.join(',')}}`;
    };
  }
}
