import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ComponentType, type ReactNode } from 'react';
import { FormDialog } from './form-dialog.tsx';
import { OpenButton } from './open-button.tsx';

export interface ConfirmProps {
  onClose: () => void;
  title: string;
  /** The loss, in a sentence. */
  children: ReactNode;
  /** Typed by hand before anything with rows or keys is destroyed. */
  typed?: string | undefined;
  action: string;
  run: () => Promise<unknown>;
}

/** Asks for confirmation of an action that can't be undone. */
export function Confirm({ onClose, title, children, typed, action, run }: ConfirmProps) {
  const [text, setText] = useState('');
  const mutation = useMutation({ mutationFn: run, onSuccess: onClose });
  return (
    <FormDialog
      title={title}
      onClose={onClose}
      sent={mutation}
      onSubmit={() => mutation.mutate()}
      submit={action}
      isReady={typed === undefined || text === typed}
      isDangerous
      beside={
        <Button variant="default" onClick={onClose}>
          Keep
        </Button>
      }
    >
      <div>{children}</div>
      {typed !== undefined && (
        <TextInput
          label={`Type ${typed} to confirm`}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          data-autofocus
        />
      )}
    </FormDialog>
  );
}

interface ConfirmButtonProps extends Omit<ConfirmProps, 'onClose'> {
  icon: ComponentType<{ size?: number }>;
  /** The word of the button. */
  label: string;
}

/** A button whose action is confirmed first. */
export function ConfirmButton({ icon, label, ...confirm }: ConfirmButtonProps) {
  return (
    <OpenButton icon={icon} dialog={(close) => <Confirm {...confirm} onClose={close} />}>
      {label}
    </OpenButton>
  );
}
