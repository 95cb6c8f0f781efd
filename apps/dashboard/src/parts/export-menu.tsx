import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconDownload } from './icons.ts';

const FORMATS = { csv: 'CSV, for spreadsheets', ndjson: 'NDJSON, one line a row' } as const;

interface ExportMenuProps {
  urlOf: (format: keyof typeof FORMATS) => string;
  /** After the name of the format: `with this filter`. */
  note?: string;
  disabled?: boolean;
}

/** Saves rows as a file: the browser itself loads it. */
export function ExportMenu({ urlOf, note, disabled = false }: ExportMenuProps) {
  return (
    <Menu>
      <Menu.Target>
        <Button
          disabled={disabled}
          leftSection={<IconDownload size={14} />}
          rightSection={<IconChevronDown size={14} />}
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {(['csv', 'ndjson'] as const).map((format) => (
          <Menu.Item key={format} component="a" href={urlOf(format)} download>
            {FORMATS[format]}
            {note !== undefined && `, ${note}`}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
