import {
  API_OPERATIONS,
  ERRORS,
  isForPrograms,
  UNFINISHED_STATES,
  WEBHOOK_EVENTS,
  type Operation,
} from '@gleaner/contracts';
import { OPERATIONS } from '../../packages/client/src/contracts.ts';
import { listOf, waitOf } from '../../packages/client/src/list-routes.ts';
import { jsonSchemaOf, type TypeWriter } from '../client/client-types.ts';
import { createServiceTypes, groupMethods, listMethods, pascalCase } from '../client/operation-facts.ts';
import { asyncMethod, syncMethod } from './python-methods.ts';
import { methodOf, waitMethodOf, type Method } from './python-operations.ts';
import { docstring, indent4, PYTHON, snakeCase } from './python-types.ts';

function routeOf(
  { id, method, path, creates, credits }: Operation,
  list: string | undefined,
  events: string | undefined,
): string {
  const parts = [
    `"${method}"`,
    `"${path}"`,
    ...(creates === true ? ['creates=True'] : []),
    ...(credits === undefined ? [] : ['is_metered=True']),
    ...(list === undefined ? [] : [`list_name="${list}"`]),
    ...(events === undefined ? [] : [`events="${events}"`]),
  ];
  return `"${id}": Route(${parts.join(', ')}),`;
}

/** `apis.call`, with the types of each prebuilt API. */
function apiMethod(types: TypeWriter): { sync: string; async: string } {
  const forms = Object.values(API_OPERATIONS).map(({ api, post }) => {
    const name = pascalCase(post.id.slice('post'.length));
    types.declare(`${name}Input`, jsonSchemaOf(post.body, 'input'), 'input');
    types.declare(`${name}Answer`, jsonSchemaOf(post.answer.schema, 'output'), 'output');
    return `(self, id: Literal["${api.id}"], body: t.${name}Input, *, options: Optional[CallOptions] = None) -> t.${name}Answer: ...`;
  });
  const doc = docstring('Call a prebuilt API by its id.\nCosts 1 credit.');
  const own = '(self, id: str, body: Any, *, options: Optional[CallOptions] = None) -> Any:';
  const write = (def: string, body: string): string =>
    `${forms.map((form) => `@overload\n${def} call${form}\n`).join('')}${def} call${own}${indent4(`\n${doc}${body}`)}\n`;
  return {
    sync: write('def', 'return self._transport.api(id, body, options)'),
    async: write(
      'async def',
      'return await in_thread(partial(cast("Callable[..., Any]", self._plain.call), id, body, options=options))',
    ),
  };
}

const GENERATED = "# Generated from the operation table of @gleaner/contracts by `npm run docs`; don't edit.";

/** The generated modules of clients/python/gleaner by their names. */
export function pythonFiles(version: string): Map<string, string> {
  const operations = OPERATIONS.filter(isForPrograms);
  const types = createServiceTypes(PYTHON);
  const methods = listMethods(
    operations,
    (operation, takes) => methodOf(operation, types, takes),
    (operation) => waitMethodOf(operation, types, operations),
  );
  const apiCall = apiMethod(types);
  const groups = groupMethods(methods);
  const className = (group: string): string => pascalCase(group);
  const classes = (prefix: string, write: (method: Method) => string, init: string, more: string): string =>
    groups
      .map(([group, members]) => {
        const texts = [...members.map(write), ...(group === 'apis' ? [more] : [])];
        const body = `${init.replaceAll('GROUP', className(group))}\n${texts.join('\n')}`;
        return `class ${prefix}${className(group)}:${indent4(`\n${body}`)}`;
      })
      .join('\n\n');
  const lists = groups.map(([group]) => `self.${snakeCase(group)} = ${className(group)}(transport)`);
  const routes = operations.map((operation) =>
    routeOf(operation, listOf(operation), waitOf(operation, operations)?.events),
  );
  const errors = [...new Set(Object.values(ERRORS).map(({ text }) => `"${text}"`))];
  const head = `${GENERATED}\n# ruff: noqa\nfrom __future__ import annotations\n\n`;
  return new Map([
    [
      '_routes.py',
      `${head}from typing import Dict

from ._route import Route

VERSION = "${version}"

#: States of runs that have not ended.
UNFINISHED_STATES = (${UNFINISHED_STATES.map((state) => `"${state}"`).join(', ')})

ROUTES: Dict[str, Route] = {${indent4(`\n${routes.join('\n')}`)}
}
`,
    ],
    [
      'types.py',
      `${GENERATED}\n"""Records and inputs of the service, as typed dictionaries."""\nfrom __future__ import annotations\n
from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Sequence, Tuple, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired

WebhookEventType = Literal[${WEBHOOK_EVENTS.map((event) => `"${event}"`).join(', ')}]

ErrorText = Literal[${errors.join(', ')}]

${types.declarations()}
`,
    ],
    [
      '_operations.py',
      `${head}from typing import Any, Dict, Iterator, List, Literal, Mapping, Optional, Sequence, Tuple, Union, cast, overload

from . import types as t
from ._download import Download
from ._events import ServerEvent
from ._listing import Listing
from ._multipart import FileInput
from ._route import UNSET, CallOptions, Unset
from ._transport import Transport
from ._wait import RecordOrId, WaitOptions


${classes('', syncMethod, 'def __init__(self, transport: Transport) -> None:\n    self._transport = transport\n', apiCall.sync)}


class Groups:
    """Every operation, by resource."""

    def __init__(self, transport: Transport) -> None:${indent4(indent4(`\n${lists.join('\n')}`))}
`,
    ],
    [
      '_async_operations.py',
      `${head}from functools import partial
from typing import Any, AsyncIterator, Callable, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, Union, cast, overload

from . import _operations as plain
from . import types as t
from ._events import ServerEvent
from ._multipart import FileInput
from ._route import UNSET, CallOptions, Unset
from ._threads import AsyncDownload, AsyncListing, in_thread, iterate
from ._wait import RecordOrId, WaitOptions


${classes('Async', asyncMethod, 'def __init__(self, own: plain.GROUP) -> None:\n    self._plain = own\n', apiCall.async)}


class AsyncGroups:
    """Every operation, by resource."""

    def __init__(self, groups: plain.Groups) -> None:${indent4(indent4(`\n${groups.map(([group]) => `self.${snakeCase(group)} = Async${className(group)}(groups.${snakeCase(group)})`).join('\n')}`))}
`,
    ],
  ]);
}
