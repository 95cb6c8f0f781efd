import type { Operation } from '@gleaner/contracts';
import type { z } from 'zod';

const DEFAULT_LIMIT_BYTES = 1024 * 1024;
const DEFAULT_VALUES = 200_000;
/** Enough where the count of values matters, not the size. */
const COUNTED_BYTES = 5 * 1024 * 1024;
/** The limits on depth and on names of one object. */
const DEPTH = 195;
const NAMES = 9_990;

export interface WorstBody {
  name: string;
  contentType: string;
  /** Made on demand: all bodies together are 4 GB. */
  make: () => Buffer;
}

interface Filling {
  kind: string;
  /** Whose form a field must accept, to be filled with it; the fill is JSON. */
  form: unknown;
  fill: (bytes: number, values: number) => string;
}

function repeat(part: string, bytes: number): string {
  return part.repeat(Math.max(1, Math.floor(bytes / part.length)));
}

/** A list of equal items with `values` values each. */
function list(item: string, bytes: number, values: number): string {
  const fits = Math.min(Math.floor(values), Math.floor(bytes / (item.length + 1)));
  return `[${`${item},`.repeat(Math.max(0, fits - 1))}${item}]`;
}

function names(value: string): string {
  return `{${Array.from({ length: NAMES }, (_, n) => `"n${n}":${value}`).join(',')}}`;
}

/** A list of objects whose names are all different. */
function different(bytes: number, values: number): string {
  const count = Math.min(Math.floor(values / 11), Math.floor(bytes / 130));
  const item = (_: unknown, n: number) => `{${TEN.map((k) => `"${n.toString(36)}${k}":0`).join(',')}}`;
  return `[${Array.from({ length: count }, item).join(',')}]`;
}

const TEN = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
/** Only fields that hold pages and such take it. */
const LONG = 'x'.repeat(100_000);
const DEEP = `${'[{"a":'.repeat(DEPTH / 2)}1${'}]'.repeat(DEPTH / 2)}`;

/** What fills a field, up to the limits of size and of values. */
const FILLINGS: readonly Filling[] = [
  { kind: 'text', form: LONG, fill: (bytes) => `"${repeat('x', bytes)}"` },
  { kind: 'escapes', form: LONG, fill: (bytes) => `"${repeat('\\u0100', bytes)}"` },
  { kind: 'open tags', form: LONG, fill: (bytes) => `"${repeat('<b a=1>&lt;', bytes)}"` },
  { kind: 'spaces', form: 'x', fill: (bytes) => `"${repeat('https://a.example/ ', bytes)}"` },
  { kind: 'huge number', form: 1, fill: (bytes) => repeat('9', Math.min(bytes, COUNTED_BYTES)) },
  { kind: 'numbers', form: [], fill: (bytes, values) => list('1', bytes, values) },
  { kind: 'addresses', form: [], fill: (bytes, values) => list('"http://192.0.2.1/"', bytes, values) },
  { kind: 'large texts', form: [], fill: (bytes, values) => list(`"${'x'.repeat(50_000)}"`, bytes, values) },
  { kind: 'empty objects', form: [], fill: (bytes, values) => list('{}', bytes, values / 2) },
  {
    kind: 'small objects',
    form: [],
    fill: (bytes, values) => list('{"url":"a","b":[1]}', bytes, values / 5),
  },
  { kind: 'different names', form: [], fill: different },
  { kind: 'deep lists', form: [], fill: (bytes, values) => list(DEEP, bytes, values / (DEPTH + 2)) },
  { kind: 'many names', form: [], fill: (bytes, values) => list(names('0'), bytes, values / (5 * NAMES)) },
  { kind: 'names', form: {}, fill: () => names('{"selector":"p"}') },
  { kind: 'deep objects', form: {}, fill: () => `{"fields":${DEEP}}` },
];

/** Right values of fields, so that a body is read as far as possible. */
function rightValues(parser: string): Readonly<Record<string, string>> {
  return {
    name: '"n"',
    schema: '{"fields":{"title":"h1"}}',
    target: `{"type":"parser","parserId":"${parser}"}`,
    url: '"http://192.0.2.1/"',
    html: '"<h1>a</h1>"',
    dry_run: 'true',
  };
}

function fieldsOf(body: z.ZodType | undefined): [string, z.ZodType][] {
  return Object.entries((body as { shape?: Record<string, z.ZodType> } | undefined)?.shape ?? {});
}

function accepts(field: z.ZodType, form: unknown): boolean {
  const { success, error } = field.safeParse(form);
  const isRefused = ({ code, path }: z.core.$ZodIssue): boolean =>
    path.length === 0 && (code === 'invalid_type' || (form === LONG && code === 'too_big'));
  return success || !error.issues.some(isRefused);
}

/** Each field is filled once with each kind that it takes; then the body itself, and files of tiny lines. */
export function* worstBodies(operation: Operation, parser: string): Generator<WorstBody> {
  const { id, body, upload, bodyLimitBytes = DEFAULT_LIMIT_BYTES, bodyValues = DEFAULT_VALUES } = operation;
  const right = rightValues(parser);
  const fields = fieldsOf(body);
  const json = (kind: string, write: () => string): WorstBody => ({
    name: `${id} ${kind}`,
    contentType: 'application/json',
    make: () => Buffer.from(write()),
  });
  const values = bodyValues - 200;
  for (const [field, schema] of fields) {
    const rest = fields
      .filter(([other]) => other !== field && Object.hasOwn(right, other))
      .map(([other]) => `,"${other}":${right[other]}`)
      .join('');
    for (const { kind, form, fill } of FILLINGS) {
      if (accepts(schema, form))
        yield json(`${field}: ${kind}`, () => `{"${field}":${fill(bodyLimitBytes - 1_000, values)}${rest}}`);
    }
  }
  if (body !== undefined) {
    const bytes = Math.min(bodyLimitBytes, COUNTED_BYTES) - 1_000;
    yield json('unknown names', () => names('0'));
    yield json('a list', () => list('{}', bytes, values / 2));
    yield json('too deep', () => repeat('[', bodyLimitBytes - 1_000));
    yield json('quotes', () => `"${repeat('\\"', bodyLimitBytes - 1_000)}"`);
  }
  if (upload !== undefined) {
    for (const line of ['1', '{}', '"', 'a,b']) yield file(operation, right, `${line}\n`);
  }
}

/** A file of 5 MB that consists of one line, repeated. */
function file({ id, upload }: Operation, right: Readonly<Record<string, string>>, line: string): WorstBody {
  const part = (name: string, text: string) =>
    `--b\r\ncontent-disposition: form-data; name="${name}"${name === 'file' ? '; filename="f.ndjson"' : ''}\r\n\r\n${text}\r\n`;
  const parts = (): string[] =>
    Object.entries(upload?.parts ?? {}).flatMap(([name, { binary, required }]) =>
      binary ? [part(name, repeat(line, COUNTED_BYTES))] : required ? [part(name, right[name] ?? '')] : [],
    );
  return {
    name: `${id} lines of ${JSON.stringify(line)}`,
    contentType: 'multipart/form-data; boundary=b',
    make: () => Buffer.from(`${parts().join('')}--b--\r\n`),
  };
}
