import type { Dice } from './dice.ts';
import { resolve, type Endpoint, type Schema } from './document.ts';
import { mutate, oddValue, sample, type Known, type Making } from './values.ts';

export interface FuzzRequest {
  endpoint: Endpoint;
  method: string;
  /** With the query. */
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
  /** What it says of its length is wrong, or its connection is closed early: no answer may come. */
  isBroken: boolean;
}

const ID_OF_PATH: ReadonlyArray<readonly [string, keyof Known]> = [
  ['/v1/parsers', 'prs'],
  ['/v1/parse/', 'prs'],
  ['/v1/scrape/', 'prs'],
  ['/v1/jobs', 'job'],
  ['/v1/batches', 'bat'],
  ['/v1/databases', 'db'],
  ['/v1/crons', 'crn'],
  ['/v1/webhooks/deliveries', 'dlv'],
  ['/v1/webhooks', 'whk'],
  ['/v1/workflows', 'wfl'],
  ['/v1/workflow-runs', 'run'],
];

function knownId(making: Making, path: string): string | undefined {
  const kind = ID_OF_PATH.find(([start]) => path.startsWith(start))?.[1];
  const ids = kind === undefined ? [] : making.known[kind];
  return ids[making.dice.below(ids.length)];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
}

/** Percent-encoded, lone surrogates replaced, now and then broken. */
function encode(dice: Dice, value: string): string {
  const encoded = encodeURIComponent(value.toWellFormed());
  return dice.chance(0.03) ? `${encoded}%${dice.pick(['zz', 'ff', 'c0%af', ''])}` : encoded;
}

function fillPath(making: Making, { path, parameters }: Endpoint): string {
  const { dice } = making;
  return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const parameter = parameters.find((candidate) => candidate.name === name);
    const known = name === 'table' ? 'products' : knownId(making, path);
    if (known !== undefined && dice.chance(0.8)) return known;
    if (dice.chance(0.5)) return encode(dice, text(sample(making, parameter?.schema ?? {}, name))) || 'x';
    return encode(dice, text(oddValue(dice)).slice(0, 700)) || 'x';
  });
}

function fillQuery(making: Making, { parameters }: Endpoint): string {
  const { dice } = making;
  const pairs: string[] = [];
  for (const parameter of parameters) {
    if (parameter.in !== 'query') continue;
    if (parameter.required !== true && !dice.chance(0.35)) continue;
    const valid = sample(making, parameter.schema, parameter.name);
    const value = dice.chance(0.25) ? oddValue(dice) : valid;
    pairs.push(`${parameter.name}=${encode(dice, text(value).slice(0, 3_000))}`);
    if (dice.chance(0.03)) pairs.push(`${parameter.name}=again`);
  }
  if (dice.chance(0.03)) pairs.push(`${dice.pick(['extra', '__proto__', 'api_key', 'a[]', ''])}=1`);
  if (dice.chance(0.02)) pairs.push('cursor=bm90IGEgY3Vyc29y');
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** JSON text that JSON.stringify would not write. */
function spoil(dice: Dice, json: string): Buffer {
  return dice.pick<() => Buffer>([
    () => Buffer.from(json.slice(0, dice.below(json.length))),
    () => Buffer.from(`${json}${json}`),
    () => Buffer.from(json.replace('{', '{"__proto__":{"a":1},')),
    () => Buffer.from(json.replace('{', '{"name":1,"name":2,')),
    () => Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from([0xff, 0xfe, 0x7d])]),
    () => Buffer.from(`\ufeff${json}`),
    () => Buffer.from(`${'['.repeat(6_000)}${']'.repeat(6_000)}`),
    () => Buffer.from(`"${'a'.repeat(1_200_000)}"`),
    () => Buffer.from(json, 'utf16le'),
    () => Buffer.from('NaN'),
    () => Buffer.alloc(0),
  ])();
}

function jsonBody(making: Making, schema: Schema): Buffer {
  const { dice } = making;
  let value = sample(making, schema);
  while (dice.chance(0.45)) value = mutate(dice, value);
  const json = JSON.stringify(value) ?? 'null';
  return dice.chance(0.08) ? spoil(dice, json) : Buffer.from(json);
}

const BOUNDARY = 'fuzz-boundary';

function formBody(making: Making, schema: Schema): Buffer {
  const { dice } = making;
  const parts: string[] = [];
  for (const [name, part] of Object.entries(schema.properties ?? {})) {
    if (dice.chance(0.15)) continue;
    const isFile = part.contentMediaType !== undefined;
    const content = isFile
      ? dice.pick(['<h1>a</h1>', `${making.siteUrl}/product\n`, 'url\nx', '{"url":1}\n[', '\0', ''])
      : text(dice.chance(0.2) ? oddValue(dice) : sample(making, {}, name));
    const file = isFile && dice.chance(0.7) ? `; filename="${dice.pick(['a.csv', 'a', 'a"b', ''])}"` : '';
    const given = dice.chance(0.03) ? dice.pick(['', 'extra', 'file']) : name;
    parts.push(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${given}"${file}\r\n\r\n${content}\r\n`,
    );
  }
  const whole = `${parts.join('')}--${BOUNDARY}--\r\n`;
  return Buffer.from(dice.chance(0.1) ? whole.slice(0, dice.below(whole.length)) : whole);
}

function fillBody(making: Making, endpoint: Endpoint): { body: Buffer; type: string } | undefined {
  const { dice, document } = making;
  const content = endpoint.requestBody?.content;
  if (content === undefined) {
    if (endpoint.method === 'GET' || !dice.chance(0.1)) return undefined;
    return { body: Buffer.from(text(oddValue(dice)).toWellFormed()), type: 'application/json' };
  }
  const types = Object.keys(content);
  const type = types[dice.below(types.length)] ?? 'application/json';
  const schema = resolve(document, content[type]?.schema ?? {});
  return type === 'multipart/form-data'
    ? { body: formBody(making, schema), type: `${type}; boundary=${BOUNDARY}` }
    : { body: jsonBody(making, schema), type };
}

const ODD_TYPES: readonly [string, ...string[]] = [
  'text/plain',
  'application/xml',
  'application/json; charset=utf-16',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=""',
  'application/json, text/plain',
  '/',
];

const ODD_HEADERS: ReadonlyArray<readonly [string, readonly [string, ...string[]]]> = [
  ['idempotency-key', ['one', 'two', 'a'.repeat(300), 'é', ' ']],
  ['if-none-match', ['*', 'W/"a"', '"a", "b"', '"']],
  ['last-event-id', ['1', '-1', 'é', 'a'.repeat(2_000)]],
  ['x-request-id', ['12345678', 'a b', 'é', 'a'.repeat(200)]],
  ['accept', ['text/html', 'application/xml', '*/*;q=0', ',']],
  ['range', ['bytes=0-1', 'bytes=5-1']],
  ['expect', ['100-continue', 'nothing']],
  ['host', ['evil.example', '[::1', '']],
  ['origin', ['https://evil.example', 'null']],
  ['cookie', ['gleaner_session=x', `gleaner_session=${'a'.repeat(43)}`, '=;;=']],
  ['content-encoding', ['gzip', 'identity', 'x']],
  ['x-forwarded-for', ['1.2.3.4', 'a', '999.1.1.1, ::']],
  ['x-http-method-override', ['DELETE']],
  ['authorization', ['Bearer x', 'Basic eDp5']],
];

export function makeRequest(making: Making, endpoint: Endpoint, apiKey: string): FuzzRequest {
  const { dice } = making;
  const headers: Record<string, string> = {};
  if (!dice.chance(0.03)) headers['x-api-key'] = dice.chance(0.02) ? `${apiKey.slice(0, -1)}é` : apiKey;
  const content = fillBody(making, endpoint);
  let isBroken = false;
  if (content) {
    headers['content-type'] = dice.chance(0.06) ? dice.pick(ODD_TYPES) : content.type;
    headers['content-length'] = String(content.body.length);
    if (dice.chance(0.01)) {
      headers['content-length'] = String(content.body.length + 5);
      isBroken = true;
    }
  }
  if (dice.chance(0.25)) {
    const [name, values] = ODD_HEADERS[dice.below(ODD_HEADERS.length)] ?? ['accept', ['*/*']];
    headers[name] = dice.pick(values);
  }
  return {
    endpoint,
    method: endpoint.method,
    path: `${fillPath(making, endpoint)}${fillQuery(making, endpoint)}`,
    headers,
    body: content?.body,
    isBroken,
  };
}
