import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Failure } from './states.tsx';

export interface ConfirmProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** The loss, in a sentence. */
  children: ReactNode;
  /** Typed by hand before anything with rows or keys is destroyed. */
  typed?: string;
  action: string;
  run: () => Promise<unknown>;
}

/** Asks for confirmation of an action that can't be undone. */
export function Confirm({ opened, onClose, title, children, typed, action, run }: ConfirmProps) {
  const [text, setText] = useState('');
  const mutation = useMutation({ mutationFn: run, onSuccess: onClose });
  const isReady = typed === undefined || text === typed;
  return (
    <Modal opened={opened} onClose={onClose} title={title} centered>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) mutation.mutate();
        }}
      >
        <div>{children}</div>
        {typed !== undefined && (
          <TextInput
            label={`Type ${typed} to go on`}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            data-autofocus
          />
        )}
        {mutation.error !== null && <Failure error={mutation.error} />}
        <div className="row">
          <Button type="submit" color="red" data-danger disabled={!isReady} loading={mutation.isPending}>
            {action}
          </Button>
          <Button variant="default" onClick={onClose}>
            Keep
          </Button>
        </div>
      </form>
    </Modal>
  );
}
