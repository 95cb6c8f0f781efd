import { RUN_STATES, type Operation } from '@gleaner/contracts';
import { z } from 'zod';
import { placeOf } from './place-of.ts';
import type { Route, Routes } from './route.ts';

function shapeOf(schema: unknown): Readonly<Record<string, unknown>> {
  return schema instanceof z.ZodObject ? schema.shape : {};
}

/** The list that an answer pages through, if its query takes a cursor and its answer gives one. */
export function listOf({ id, query, answer }: Operation): string | undefined {
  if (query?.shape['cursor'] === undefined || !('schema' in answer)) return undefined;
  const shape = shapeOf(answer.schema);
  if (!('cursor' in shape) && !('cursor' in shapeOf(shape['pagination']))) return undefined;
  const lists = Object.keys(shape).filter((key) => shape[key] instanceof z.ZodArray);
  if (lists.length !== 1) throw new Error(`${id}: its answer has ${lists.length} lists`);
  return lists[0];
}

/** How each operation can be called: with a JSON body or none, or with the parts of a form. */
export function waysOf({ body, upload }: Operation): ('body' | 'parts' | undefined)[] {
  return [
    ...(body || !upload ? [body ? ('body' as const) : undefined] : []),
    ...(upload ? ['parts' as const] : []),
  ];
}

/** The method of an operation that is called one way: where both exist, that of the form says so. */
export function methodName(operation: Operation, takes: 'body' | 'parts' | undefined): string {
  const { method } = placeOf(operation);
  return takes === 'parts' && operation.body ? `${method}FromFile` : method;
}

/** Where a resource that runs tells its progress; undefined for what has no status that ends. */
export function waitOf(
  { answer, path, method }: Operation,
  all: readonly Operation[],
): { events: string | undefined } | undefined {
  if (method !== 'GET' || answer.kind !== 'json' || !path.endsWith('}')) return undefined;
  const { status } = shapeOf(answer.schema);
  if (!(status instanceof z.ZodEnum) || !RUN_STATES.every((state) => status.options.includes(state)))
    return undefined;
  const events = all.find((other) => other.answer.kind === 'events' && other.path === `${path}/events`);
  return { events: events?.path };
}

function routeOf(operation: Operation, takes: 'body' | 'parts' | undefined): Route {
  const { id, method, path, query, creates, credits, answer } = operation;
  const list = listOf(operation);
  return {
    id,
    method,
    path,
    ...(takes && { takes }),
    ...(query && { hasQuery: true }),
    ...(creates === true && { creates }),
    ...(credits !== undefined && { isMetered: true }),
    ...(list === undefined
      ? { answer: answer.kind === 'json-text' ? 'json' : answer.kind }
      : { answer: 'list', list }),
  };
}

/** Prebuilt APIs have one method: the client sends the form that takes a body, whose path is the API's id. */
const CALL: Route = { method: 'POST', path: '/v1/{id}', takes: 'body', isMetered: true, answer: 'json' };

/** What the client needs of the operations at run time: where each is, how it is asked and how it answers. */
export function listRoutes(operations: readonly Operation[]): Routes {
  const routes: Record<string, Record<string, Route>> = {};
  const add = (group: string, name: string, route: Route): void => {
    const members = (routes[group] ??= {});
    if (members[name])
      throw new Error(`two operations would be ${group}.${name}: name one in PLACES of place-of.ts`);
    members[name] = route;
  };
  for (const operation of operations) {
    const { method, path } = operation;
    const { group } = placeOf(operation);
    for (const takes of waysOf(operation))
      add(group, methodName(operation, takes), routeOf(operation, takes));
    const wait = waitOf(operation, operations);
    if (wait)
      add(group, 'waitFor', { method, path, answer: 'wait', ...(wait.events && { events: wait.events }) });
  }
  add('apis', 'call', CALL);
  return routes;
}
