import type postgres from 'postgres';

/** `engine.` before a name. Names of accounts' tables are quoted, so `"engine"."x"` is not one of ours. */
const ENGINE = /(?<![\w."'])engine\.(?=[a-z_])/g;

/** SQL with the schema of one version in place of `engine`. */
export function nameEngine(text: string, schema: string): string {
  return text.replaceAll(ENGINE, `${schema}.`);
}

/** Template strings by the array that JavaScript makes once for each place in the code. */
type Templates = WeakMap<TemplateStringsArray, TemplateStringsArray>;

function isTemplate(value: unknown): value is TemplateStringsArray {
  return Array.isArray(value) && 'raw' in value;
}

function nameInTemplate(
  strings: TemplateStringsArray,
  schema: string,
  known: Templates,
): TemplateStringsArray {
  let named = known.get(strings);
  if (named === undefined) {
    const texts = strings.map((text) => nameEngine(text, schema));
    named = Object.assign(texts, { raw: texts });
    known.set(strings, named);
  }
  return named;
}

type Work = (sql: object) => unknown;

/**
 * A client of postgres.js that sends `engine_<digest>.` where statements say `engine.`: versions of the functions exist
 * side by side, and each process calls its own. It applies to transactions and savepoints too. A `search_path` would
 * belong to a session, and a pooler in transaction mode shares sessions.
 */
export function withEngineSchema(sql: postgres.Sql, schema: string): postgres.Sql {
  const known: Templates = new WeakMap();
  function wrap<T extends object>(client: T): T {
    return new Proxy(client, {
      apply: (target, self, [first, ...rest]: unknown[]) =>
        Reflect.apply(target as () => unknown, self, [
          isTemplate(first) ? nameInTemplate(first, schema, known) : first,
          ...rest,
        ]),
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        if (name === 'unsafe') {
          return (text: string, ...rest: unknown[]) =>
            Reflect.apply(value, target, [nameEngine(text, schema), ...rest]);
        }
        if (name === 'begin' || name === 'savepoint') {
          // The work is the last argument, after a name or options.
          return (...args: unknown[]) =>
            Reflect.apply(value, target, [
              ...args.slice(0, -1),
              (inner: object) => (args.at(-1) as Work)(wrap(inner)),
            ]);
        }
        return value;
      },
    });
  }
  return wrap(sql);
}
