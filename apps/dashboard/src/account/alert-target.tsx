import type { AlertChannel } from '@gleaner/contracts/values';
import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery, type CallInput } from '../api/call.ts';
import { Choice, textInput } from '../parts/forms.tsx';

type AlertTo = CallInput<'createAlert'>['body']['to'];

export const CHANNEL_WORDS = {
  email: 'E-mail',
  slack: 'Slack',
  discord: 'Discord',
  ntfy: 'ntfy',
  webhook: 'Your server',
} satisfies Record<AlertChannel, string>;

/** What an address of each looks like. */
const PLACES = {
  email: 'ada@example.com',
  slack: 'https://hooks.slack.com/services/…',
  discord: 'https://discord.com/api/webhooks/…',
  ntfy: 'https://ntfy.sh/my-topic',
  webhook: 'https://example.com/hooks/alerts',
} satisfies Record<AlertChannel, string>;

/** Where messages go, as a form holds it. */
export interface AlertTarget {
  type: AlertChannel;
  where: string;
  token: string;
}

export function toOf({ type, where, token }: AlertTarget): AlertTo {
  if (type === 'email') return { type, address: where.trim() };
  if (type === 'ntfy' && token.trim() !== '') return { type, url: where.trim(), token: token.trim() };
  return { type, url: where.trim() };
}

const { email: _, ...OTHERS } = CHANNEL_WORDS;

function useSendsEmail(): boolean {
  const session = useQuery(sessionQuery);
  return session.data?.sends_email !== false;
}

/** A form's first target, of a channel that this installation sends to. */
export function useFirstTarget(): AlertTarget {
  return { type: useSendsEmail() ? 'email' : 'slack', where: '', token: '' };
}

interface AlertTargetFieldsProps {
  target: AlertTarget;
  onChange: (target: AlertTarget) => void;
  /** What the service refused in the address. */
  error?: string | undefined;
}

/** The channel and the address of messages. */
export function AlertTargetFields({ target, onChange, error }: AlertTargetFieldsProps) {
  const { type, where, token } = target;
  const isEmailed = useSendsEmail();
  return (
    <>
      <Choice<AlertChannel>
        label="Send it to"
        words={isEmailed ? CHANNEL_WORDS : OTHERS}
        value={type}
        onChange={(next) => onChange({ ...target, type: next })}
      />
      <TextInput
        label="Address"
        description={type === 'email' ? 'Its owner gets a link that confirms it.' : undefined}
        placeholder={PLACES[type]}
        {...textInput(where, (next) => onChange({ ...target, where: next }))}
        error={error}
      />
      {type === 'ntfy' && (
        <TextInput
          label="Access token, if the topic needs one"
          {...textInput(token, (next) => onChange({ ...target, token: next }))}
        />
      )}
    </>
  );
}
