import type { BrowserAction } from '@gleaner/contracts';
import { z } from 'zod';

const selector = z.string().min(1);

/** Actions that Gleaner has too. */
const actionField = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      type: z.literal('wait'),
      milliseconds: z.number().min(0).max(60_000).nullish(),
      selector: selector.nullish(),
    }),
    z.strictObject({
      type: z.literal('click'),
      selector,
      all: z.literal(false, 'can’t be done: one element is clicked').nullish(),
    }),
    z.strictObject({ type: z.literal('write'), text: z.string() }),
    z.strictObject({ type: z.literal('press'), key: z.string() }),
    z.strictObject({
      type: z.literal('scroll'),
      direction: z.literal('down', 'can only be down').nullish(),
      selector: z.null('can’t be done: the page is scrolled').optional(),
    }),
  ],
  { error: () => 'can’t be done: the actions are wait, click, write, press and scroll' },
);

type Given = z.output<typeof actionField>;

/** What an action is here. One writes into the field that the action before has clicked, so both become one. */
function toAction(action: Exclude<Given, { type: 'write' }>): BrowserAction | undefined {
  switch (action.type) {
    case 'wait':
      if (action.selector != null) return { wait: action.selector };
      return action.milliseconds == null ? undefined : { wait: action.milliseconds / 1000 };
    case 'click':
      return { click: action.selector };
    case 'press':
      return { press: action.key };
    case 'scroll':
      return { scroll: 'end' };
  }
}

export const actionsList = z.array(actionField).transform((given, context): BrowserAction[] => {
  const actions: BrowserAction[] = [];
  for (const [index, action] of given.entries()) {
    const refuse = (message: string): void => context.addIssue({ code: 'custom', path: [index], message });
    if (action.type !== 'write') {
      const own = toAction(action);
      if (own === undefined) refuse('needs milliseconds or a selector');
      else actions.push(own);
      continue;
    }
    const before = given[index - 1];
    if (before?.type === 'click')
      actions[actions.length - 1] = { type: { into: before.selector, text: action.text } };
    else refuse('must follow a click on the field that takes the text');
  }
  return actions;
});
