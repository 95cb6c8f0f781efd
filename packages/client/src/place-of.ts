import type { Operation, Tag } from '@gleaner/contracts';

/** Where an operation stands in the client when its id says it wrongly: `group.method`. */
const PLACES: Readonly<Record<string, string>> = {
  listWebhookDeliveries: 'webhooks.listDeliveriesOf',
  replayWebhookDelivery: 'webhooks.replayDeliveryOf',
  getBatchKeep: 'batches.getKeep',
  getOperatorSession: 'operator.session',
  signInOperator: 'operator.signIn',
  signOutOperator: 'operator.signOut',
};

/** Groups that are not the path's first word. */
const GROUPS: { readonly [T in Tag]?: string } = {
  Extraction: 'extraction',
  Session: 'session',
  Operator: 'operator',
};

export interface Place {
  group: string;
  method: string;
}

function camelCase(words: string): string {
  return words.replaceAll(/-(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** `batches` → `Batches`, `Batche`, `Batch`: the words that say the same as the group, longest first. */
function nounsOf(group: string): string[] {
  const noun = group.charAt(0).toUpperCase() + group.slice(1);
  return [noun, noun.replace(/ies$/, 'y'), noun.replace(/s$/, ''), noun.replace(/es$/, '')];
}

/**
 * Where an operation stands in the client: its group is the path's first word, its method the id without that word.
 * `getBatchResults` → `batches.results`, `createParser` → `parsers.create`.
 */
export function placeOf({ id, path, tag }: Operation): Place {
  const [ownGroup, ownMethod] = PLACES[id]?.split('.') ?? [];
  if (ownGroup !== undefined && ownMethod !== undefined) return { group: ownGroup, method: ownMethod };
  const group = GROUPS[tag] ?? camelCase(path.split('/')[2] ?? '');
  const verb = /^[a-z]+/.exec(id)?.[0] ?? id;
  const subject = id.slice(verb.length);
  const noun =
    nounsOf(group).find(
      (word) => subject.startsWith(word) && /^(?:[A-Z]|$)/.test(subject.slice(word.length)),
    ) ?? '';
  const rest = subject.slice(noun.length);
  if (rest === '') return { group, method: verb };
  return { group, method: verb === 'get' ? lowerFirst(rest) : `${verb}${rest}` };
}
