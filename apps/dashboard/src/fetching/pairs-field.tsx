import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { textInput } from '../parts/forms.tsx';

interface PairsFieldProps {
  label: string;
  placeholder: string;
  error: string | undefined;
  value: Readonly<Record<string, string>> | undefined;
  onChange: (pairs: Record<string, string> | undefined) => void;
}

function readPairs(text: string): Record<string, string> | undefined {
  const pairs = [...text.matchAll(/^\s*([^\s:]+)\s*:(.*)$/gm)];
  if (pairs.length === 0) return undefined;
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value.trim()]));
}

/** Names and values, one pair a line. */
export function PairsField({ label, placeholder, error, value = {}, onChange }: PairsFieldProps) {
  const [text, setText] = useState(() =>
    Object.entries(value)
      .map(([name, content]) => `${name}: ${content}`)
      .join('\n'),
  );
  return (
    <Textarea
      label={label}
      placeholder={placeholder}
      error={error}
      classNames={{ input: 'mono' }}
      autosize
      minRows={1}
      maxRows={6}
      {...textInput(text, (typed) => {
        setText(typed);
        onChange(readPairs(typed));
      })}
    />
  );
}
