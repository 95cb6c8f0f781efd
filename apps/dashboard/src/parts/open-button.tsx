import { useState, type ReactNode } from 'react';
import { ActionButton, type ActionButtonProps } from './action-button.tsx';

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
