import { longForm } from '@gleaner/contracts/values';
import { Button, Popover, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { FieldObject } from '@gleaner/contracts';
import { Refusal } from '../../api/problem.ts';
import { capitalised } from '../../format/format.ts';
import { Failure } from '../../parts/page.tsx';
import { IconWand } from '../../parts/icons.ts';
import { suggestFields } from '../extraction/extractor.ts';
import type { KeptPage } from '../extraction/protocol.ts';

import { tidySchema } from './tidy.ts';
import { freeName, toFieldName } from '../schema/names.ts';

interface FromExampleProps {
  page: KeptPage;
  /** Names of fields that there are. */
  taken: readonly string[];
  onField: (name: string, field: FieldObject) => void;
}

/** Makes a field from a value that a person sees on the page: the engine finds a stable selector for it. */
export function FromExample({ page, taken, onField }: FromExampleProps) {
  const [isOpen, { close, toggle }] = useDisclosure(false);
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const learn = useMutation({
    mutationFn: async () => {
      const wanted = freeName(toFieldName(name) ?? 'field', [...taken]);
      const { schema, fields, data } = await suggestFields(
        [page],
        [{ pageId: page.id, name: wanted, value: value.trim() }],
      );
      const field = schema === null ? undefined : tidySchema(schema, data).fields[wanted];
      if (field === undefined)
        throw new Refusal(`${capitalised(fields[0]?.reason ?? 'this value is not on the page')}.`);
      return { wanted, field: longForm(field) };
    },
    onSuccess: ({ wanted, field }) => {
      onField(wanted, field);
      setName('');
      setValue('');
      close();
    },
  });
  return (
    <Popover opened={isOpen} onClose={close} width={280} position="bottom-start" trapFocus>
      <Popover.Target>
        <Button variant="subtle" color="gray" leftSection={<IconWand size={13} />} onClick={toggle}>
          From an example
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            if (value.trim() !== '') learn.mutate();
          }}
        >
          <TextInput
            label="A value on this page"
            description="As you see it: 12,50 € or 5 March"
            value={value}
            onChange={(event) => setValue(event.currentTarget.value)}
            data-autofocus
          />
          <TextInput
            label="Name of the field"
            placeholder="price"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {learn.error !== null && <Failure error={learn.error} />}
          <div>
            <Button type="submit" disabled={value.trim() === ''} loading={learn.isPending}>
              Find it
            </Button>
          </div>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
