import { longForm } from '@gleaner/contracts/values';
import { Button, Popover, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Refusal } from '../../api/problem.ts';
import { capitalised } from '../../format/format.ts';
import { Form, QuietButton, textInput } from '../../parts/forms.tsx';
import { Failure } from '../../parts/page.tsx';
import { IconWand } from '../../parts/icons.ts';
import type { KeptPage } from '../extraction/protocol.ts';
import { suggestFields } from './tidy.ts';
import type { StudioState } from '../use-studio-state.ts';
import { freeName, toFieldName } from '../schema/names.ts';

interface FromExampleProps {
  studio: StudioState;
  page: KeptPage;
}

/** Makes a field from a value that a person sees on the page: the engine finds a stable selector for it. */
export function FromExample({ studio: { draft, addField }, page }: FromExampleProps) {
  const [isOpen, { close, toggle }] = useDisclosure(false);
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const learn = useMutation({
    mutationFn: async () => {
      const wanted = freeName(toFieldName(name) ?? 'field', Object.keys(draft.fields));
      const { schema, fields } = await suggestFields(page, { examples: { [wanted]: value.trim() } });
      const field = schema?.fields[wanted];
      if (field === undefined)
        throw new Refusal(`${capitalised(fields[0]?.reason ?? 'this value is not on the page')}.`);
      return { wanted, field: longForm(field) };
    },
    onSuccess: ({ wanted, field }) => {
      addField(wanted, field);
      setName('');
      setValue('');
      close();
    },
  });
  return (
    <Popover opened={isOpen} onClose={close} width={280} position="bottom-start" trapFocus>
      <Popover.Target>
        <QuietButton icon={IconWand} onClick={toggle}>
          From an example
        </QuietButton>
      </Popover.Target>
      <Popover.Dropdown>
        <Form className="stack" onSubmit={() => value.trim() !== '' && learn.mutate()}>
          <TextInput
            label="A value on this page"
            description="As you see it: 12,50 € or 5 March"
            {...textInput(value, setValue)}
            data-autofocus
          />
          <TextInput label="Name of the field" placeholder="price" {...textInput(name, setName)} />
          <Failure error={learn.error} />
          <div>
            <Button type="submit" disabled={value.trim() === ''} loading={learn.isPending}>
              Find it
            </Button>
          </div>
        </Form>
      </Popover.Dropdown>
    </Popover>
  );
}
