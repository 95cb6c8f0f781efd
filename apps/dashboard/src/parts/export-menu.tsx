import type { ExportFormat } from '@gleaner/contracts/values';
import { Button, Menu } from '@mantine/core';
import { choicesOf } from './choices.ts';
import { IconChevronDown, IconDownload } from './icons.ts';

/** Formats of exports in words. */
export const FORMAT_WORDS = {
  csv: 'CSV, for spreadsheets',
  xlsx: 'Excel (xlsx), up to 100,000 rows',
  ndjson: 'NDJSON, a JSON object a line',
  parquet: 'Parquet, for data tools',
} satisfies Record<ExportFormat, string>;

interface ExportMenuProps {
  /** The word of the button. Default: Export. */
  label?: string;
  /** Default: all. */
  formats?: readonly ExportFormat[];
  urlOf: (format: ExportFormat) => string;
  /** After the name of the format: `with this filter`. */
  note?: string;
  disabled?: boolean;
  /** Beside the main action of its page. */
  isQuiet?: boolean;
}

/** Saves rows as a file: the browser itself loads it. */
export function ExportMenu(props: ExportMenuProps) {
  const { label: word = 'Export', formats, urlOf, note, disabled = false, isQuiet = false } = props;
  return (
    <Menu>
      <Menu.Target>
        <Button
          disabled={disabled}
          variant={isQuiet ? 'default' : 'filled'}
          leftSection={<IconDownload size={14} />}
          rightSection={<IconChevronDown size={14} />}
        >
          {word}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {choicesOf(FORMAT_WORDS)
          .filter(({ value }) => formats?.includes(value) ?? true)
          .map(({ value, label }) => (
            <Menu.Item key={value} component="a" href={urlOf(value)} download>
              {label}
              {note !== undefined && `, ${note}`}
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  );
}
