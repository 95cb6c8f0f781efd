import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';

export interface ActionButtonProps extends Pick<ButtonProps, 'loading' | 'disabled'> {
  icon: ComponentType<{ size?: number }>;
  /** The one action for which the page is there. */
  isMain?: boolean;
  onClick?: () => void;
  'aria-expanded'?: boolean;
  children: ReactNode;
}

/** A button with an icon before its word. */
export function ActionButton({ icon: Icon, isMain = false, ...button }: ActionButtonProps) {
  return <Button variant={isMain ? 'filled' : 'default'} leftSection={<Icon size={14} />} {...button} />;
}
