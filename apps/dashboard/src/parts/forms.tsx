import {
  ActionIcon,
  Button,
  Select,
  type ButtonProps,
  type ElementProps,
  type SelectProps,
} from '@mantine/core';
import type { ComponentProps, ComponentType } from 'react';
import { choicesOf, type ChoiceWords } from './choices.ts';
import { IconPlus, IconX } from './icons.ts';

/** The members of an input that holds a text. */
export function textInput(value: string, onText: (text: string) => void) {
  return {
    value,
    onChange: (event: { currentTarget: { value: string } }): void => onText(event.currentTarget.value),
  };
}

/** The members of a box that is ticked or not. */
export function tickBox(checked: boolean, onTick: (isTicked: boolean) => void) {
  return {
    checked,
    onChange: (event: { currentTarget: { checked: boolean } }): void => onTick(event.currentTarget.checked),
  };
}

/** The record with one member changed; undefined takes it away. */
export function withMember<T extends object, K extends keyof T>(
  record: T,
  key: K,
  value: T[K] | undefined,
): T {
  const { [key]: _before, ...rest } = record;
  return (value === undefined ? rest : { ...rest, [key]: value }) as T;
}

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  onSubmit: () => void;
}

/** A form whose button and Enter key do one thing. It may be in a dialog within another form. */
export function Form({ onSubmit, ...form }: FormProps) {
  return (
    <form
      {...form}
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        onSubmit();
      }}
    />
  );
}

interface ChoiceProps<V extends string> extends Omit<SelectProps<V>, 'data' | 'value' | 'onChange'> {
  words: Partial<ChoiceWords<V>>;
  value: V;
  onChange: (value: V) => void;
}

/** One of a few values: always one of them. */
export function Choice<V extends string>({ words, onChange, ...select }: ChoiceProps<V>) {
  return (
    <Select
      {...select}
      data={choicesOf(words)}
      allowDeselect={false}
      onChange={(chosen) => chosen !== null && onChange(chosen)}
    />
  );
}

interface QuietButtonProps extends ButtonProps, ElementProps<'button', keyof ButtonProps> {
  icon?: ComponentType<{ size?: number }>;
}

/** A button within a form, by default of one that adds a line. */
export function QuietButton({ icon: Icon = IconPlus, ...button }: QuietButtonProps) {
  return <Button variant="subtle" color="gray" leftSection={<Icon size={13} />} {...button} />;
}

/** Removes a line of a form. */
export function RemoveButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <ActionIcon aria-label={label} onClick={onClick}>
      <IconX size={14} />
    </ActionIcon>
  );
}
