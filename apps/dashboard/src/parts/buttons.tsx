import { Button, TextInput, type ButtonProps } from '@mantine/core';
import { useState, type ComponentType, type ReactNode } from 'react';
import { useNavigate, type LinkOptions } from '@tanstack/react-router';
import { IconTrash } from './icons.ts';
import { useChange, type ChangeOptions } from '../api/call.ts';
import { FormDialog } from './form-dialog.tsx';
import { textInput } from './forms.tsx';

export interface ConfirmProps extends ChangeOptions<unknown> {
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
export function Confirm({ onClose, title, children, typed, action, run, stale, onDone }: ConfirmProps) {
  const [text, setText] = useState('');
  const close = async (done: unknown): Promise<void> => {
    onClose();
    await onDone?.(done);
  };
  const change = useChange(run, { stale, onDone: close });
  return (
    <FormDialog
      title={title}
      onClose={onClose}
      sent={change}
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
        <TextInput label={`Type ${typed} to confirm`} {...textInput(text, setText)} data-autofocus />
      )}
    </FormDialog>
  );
}

interface ConfirmButtonProps extends Omit<ConfirmProps, 'onClose'> {
  icon: ComponentType<{ size?: number }>;
  /** The word of the button. */
  label: string;
  isSmall?: boolean;
}

/** A button whose action is confirmed first. */
export function ConfirmButton({ icon, label, isSmall = false, ...confirm }: ConfirmButtonProps) {
  return (
    <OpenButton icon={icon} isSmall={isSmall} dialog={(close) => <Confirm {...confirm} onClose={close} />}>
      {label}
    </OpenButton>
  );
}

interface ActionButtonProps extends Pick<ButtonProps, 'loading' | 'disabled'> {
  icon: ComponentType<{ size?: number }>;
  /** The one action for which the page is there. */
  isMain?: boolean;
  /** What is rarely wanted, beside other actions. */
  isSmall?: boolean;
  onClick?: () => void;
  'aria-expanded'?: boolean;
  children: ReactNode;
}

/** A button with an icon before its word. */
export function ActionButton({ icon: Icon, isMain = false, isSmall = false, ...button }: ActionButtonProps) {
  const look = isSmall ? { variant: 'subtle', color: 'gray', size: 'compact-xs' } : {};
  return (
    <Button variant={isMain ? 'filled' : 'default'} leftSection={<Icon size={14} />} {...look} {...button} />
  );
}

interface OpenButtonProps extends Omit<ActionButtonProps, 'onClick'> {
  /** The dialog, given what closes it. */
  dialog: (close: () => void) => ReactNode;
}

/** A button that opens a dialog. */
export function OpenButton({ dialog, ...button }: OpenButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <ActionButton {...button} onClick={() => setOpen(true)} />
      {isOpen && dialog(() => setOpen(false))}
    </>
  );
}

interface DeleteButtonProps extends Pick<ConfirmProps, 'run' | 'stale' | 'children'> {
  /** The word of the button, such as `Drop table`; default: Delete. */
  label?: string;
  /** What is deleted, by its kind. */
  kind: string;
  /** Typed by hand before. */
  name: string;
  isSmall?: boolean;
  /** The page that is opened afterwards. */
  next: LinkOptions;
}

/** Deletes the thing that a page is about, once its name was typed, and leaves the page. */
export function DeleteButton({ label = 'Delete', kind, name, next, ...confirm }: DeleteButtonProps) {
  const navigate = useNavigate();
  return (
    <ConfirmButton
      icon={IconTrash}
      label={label}
      title={`Delete ${name}`}
      typed={name}
      action={`Delete ${kind}`}
      onDone={() => navigate(next)}
      {...confirm}
    />
  );
}
