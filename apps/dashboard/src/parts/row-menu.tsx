import { ActionIcon, Menu } from '@mantine/core';
import type { ComponentType } from 'react';
import { IconDotsVertical } from './icons.ts';

export interface MenuAction {
  label: string;
  icon?: ComponentType<{ size?: number }>;
  /** Destroys something. */
  isRed?: boolean;
  onClick: () => void;
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
  return (
    <Menu.Dropdown>
      {actions.map(({ label, icon: Icon, isRed = false, onClick }) => (
        <Menu.Item
          key={label}
          {...(isRed ? { color: 'red' } : {})}
          leftSection={Icon && <Icon size={14} />}
          onClick={onClick}
        >
          {label}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  );
}
