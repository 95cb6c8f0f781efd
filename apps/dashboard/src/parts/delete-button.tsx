import { useNavigate, type LinkOptions } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ConfirmButton } from './confirm.tsx';
import { IconTrash } from './icons.ts';
import { useChange } from './use-change.ts';

interface DeleteButtonProps {
  /** The word of the button, such as `Drop table`; default: Delete. */
  label?: string;
  /** What is deleted, by its kind. */
  kind: string;
  /** Typed by hand before. */
  name: string;
  remove: () => Promise<unknown>;
  /** The lists that name it. */
  stale: readonly string[];
  /** The page that is opened afterwards. */
  next: LinkOptions;
  /** What is lost, in a sentence. */
  children: ReactNode;
}

/** Deletes the thing that a page is about, once its name was typed, and leaves the page. */
export function DeleteButton(props: DeleteButtonProps) {
  const { label = 'Delete', kind, name, remove, stale, next, children } = props;
  const navigate = useNavigate();
  const change = useChange(remove, { stale, onDone: () => navigate(next) });
  return (
    <ConfirmButton
      icon={IconTrash}
      label={label}
      title={`Delete ${name}`}
      typed={name}
      action={`Delete ${kind}`}
      run={() => change.mutateAsync()}
    >
      {children}
    </ConfirmButton>
  );
}
