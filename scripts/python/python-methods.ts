import { isNumber } from '../client/operation-facts.ts';
import type { Keyword, Method } from './python-operations.ts';
import { docstring, indent4, snakeCase } from './python-types.ts';

/** Optional keywords that may be left out; None is JSON's null. */
function keyword({ key, type, isRequired }: Keyword): string {
  return isRequired ? `${snakeCase(key)}: ${type}` : `${snakeCase(key)}: Union[${type}, Unset] = UNSET`;
}

function signature({ name, params, keywords }: Method, returns: string, isAsync: boolean): string {
  const named = [
    ...keywords.filter(({ isRequired }) => isRequired),
    ...keywords.filter(({ isRequired }) => !isRequired),
  ].map(keyword);
  const parts = [
    'self',
    ...params.map((param) => `${snakeCase(param)}: ${isNumber(param) ? 'int' : 'str'}`),
    '*',
    ...named,
    'options: Optional[CallOptions] = None',
  ];
  return `${isAsync ? 'async ' : ''}def ${snakeCase(name)}(${indent4(`\n${parts.join(',\n')},`)}\n) -> ${returns}:`;
}

function dictionary(keys: readonly string[]): string {
  return `{${keys.map((key) => `"${key}": ${snakeCase(key)}`).join(', ')}}`;
}

/** The methods with a generic `dry_run` first, by its value. */
function overloads(method: Method, isAsync: boolean): string {
  if (!method.dryRun) return '';
  const { dry, real } = method.dryRun;
  const withDry = (type: string, isRequired: boolean): Method => ({
    ...method,
    keywords: method.keywords.map((one) => (one.key === 'dry_run' ? { ...one, type, isRequired } : one)),
  });
  return [[withDry('Literal[True]', true), dry] as const, [withDry('Literal[False]', false), real] as const]
    .map(([one, type]) => `@overload\n${signature(one, type, isAsync)} ...\n`)
    .join('');
}

/** A method of the plain client. */
export function syncMethod(method: Method): string {
  const { kind, params, keywords, bodyKeys, files, route, returns, takes, doc } = method;
  if (kind === 'wait')
    return `def ${snakeCase(method.name)}(self, id: RecordOrId, *, wait: Optional[WaitOptions] = None) -> ${returns.sync}:${indent4(
      `\n${docstring(doc)}return cast("${returns.sync}", self._transport.wait_for("${route}", id, wait))`,
    )}\n`;
  const queryKeys = keywords.map(({ key }) => key).filter((key) => !bodyKeys.includes(key));
  const call = [
    `"${route}"`,
    `(${params.map((param) => `${snakeCase(param)}, `).join('')})`,
    dictionary(queryKeys),
    takes === undefined ? 'None' : dictionary(bodyKeys),
    'options',
    ...(takes === 'parts' ? [`files=(${files.map((file) => `"${file}", `).join('')})`] : []),
  ].join(', ');
  const sent = `self._transport.${kind}(${call})`;
  const body =
    kind === 'json' ? `return cast("${returns.sync}", ${sent})` : kind === 'empty' ? sent : `return ${sent}`;
  return `${overloads(method, false)}${signature(method, returns.sync, false)}${indent4(`\n${docstring(doc)}${body}`)}\n`;
}

/** The same method of the asynchronous client, which calls the plain one in a thread. */
export function asyncMethod(method: Method): string {
  const { kind, params, keywords, returns, doc } = method;
  const own = `self._plain.${snakeCase(method.name)}`;
  if (kind === 'wait')
    return `async def ${snakeCase(method.name)}(self, id: RecordOrId, *, wait: Optional[WaitOptions] = None) -> ${returns.async}:${indent4(
      `\n${docstring(doc)}return await in_thread(partial(${own}, id, wait=wait))`,
    )}\n`;
  const values = [
    ...params.map(snakeCase),
    ...keywords.map(({ key }) => `${snakeCase(key)}=${snakeCase(key)}`),
    'options=options',
  ].join(', ');
  const bodies: Readonly<Record<Method['kind'], string>> = {
    json: `return await in_thread(partial(${own}, ${values}))`,
    empty: `await in_thread(partial(${own}, ${values}))`,
    list: `return AsyncListing(${own}(${values}))`,
    stream: `return AsyncDownload(await in_thread(partial(${own}, ${values})))`,
    events: `return iterate(${own}(${values}))`,
    wait: '',
  };
  const isAsync = kind !== 'list' && kind !== 'events';
  // Its overloads decide the type; the plain method is called with the union.
  const body = method.dryRun
    ? bodies[kind].replace('partial(', 'partial(cast("Callable[..., Any]", ').replace(`${own}, `, `${own}), `)
    : bodies[kind];
  return `${overloads(method, isAsync)}${signature(method, returns.async, isAsync)}${indent4(`\n${docstring(doc)}${body}`)}\n`;
}
