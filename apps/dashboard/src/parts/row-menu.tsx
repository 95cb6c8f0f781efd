import { ActionIcon, Menu } from '@mantine/core';
import { useState, type ComponentType } from 'react';
import { Confirm, type ConfirmProps } from './buttons.tsx';
import { IconDotsVertical } from './icons.ts';

export interface MenuAction {
  label: string;
  icon?: ComponentType<{ size?: number }>;
  /** Destroys something. */
  isRed?: boolean;
  onClick?: () => void;
  /** Asked before the action, which it holds. */
  confirm?: Omit<ConfirmProps, 'onClose'>;
}

/** The actions on one row of a list. */
export function RowMenu({ name, actions }: { name: string; actions: readonly MenuAction[] }) {
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon aria-label={`More for ${name}`} size={24}>
          <IconDotsVertical size={15} />
        </ActionIcon>
      </Menu.Target>
      <MenuActions actions={actions} />
    </Menu>
  );
}

/** The lines of an opened menu. */
export function MenuActions({ actions }: { actions: readonly MenuAction[] }) {
  const [asked, setAsked] = useState<MenuAction['confirm']>();
  return (
    <>
      <Menu.Dropdown>
        {actions.map(({ label, icon: Icon, isRed = false, onClick, confirm }) => (
          <Menu.Item
            key={label}
            {...(isRed ? { color: 'red' } : {})}
            leftSection={Icon && <Icon size={14} />}
            onClick={confirm ? () => setAsked(confirm) : onClick}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
      {asked && <Confirm {...asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}
