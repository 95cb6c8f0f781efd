import { Textarea } from '@mantine/core';
import { useState } from 'react';

interface PairsFieldProps {
  label: string;
  placeholder: string;
  error: string | undefined;
  value: Readonly<Record<string, string>> | undefined;
  onChange: (pairs: Record<string, string> | undefined) => void;
}

function readPairs(text: string): Record<string, string> | undefined {
  const pairs = [...text.matchAll(/^\s*([^\s:]+)\s*:[ \t]*(.*)$/gm)].map(([, name, value]) => [
    name,
    value?.trim(),
  ]);
  return pairs.length === 0 ? undefined : (Object.fromEntries(pairs) as Record<string, string>);
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
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        onChange(readPairs(event.currentTarget.value));
      }}
    />
  );
}
