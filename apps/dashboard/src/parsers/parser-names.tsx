import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { call, useChange, type CallOutput } from '../api/call.ts';
import { faultAt } from '../api/problem.ts';
import { FormDialog } from '../parts/form-dialog.tsx';

interface ParserNamesProps {
  parser: CallOutput<'listParsers'>['parsers'][number];
  onClose: () => void;
}

/** Changes what a parser is called: its name for people, its slug for programs. */
export function ParserNames({ parser, onClose }: ParserNamesProps) {
  const form = useForm({ initialValues: { name: parser.name, slug: parser.slug ?? '' } });
  const { name, slug } = form.values;
  const change = useChange(
    () =>
      call('updateParser', {
        params: { id: parser.id },
        body: { name: name.trim(), slug: slug.trim() === '' ? null : slug.trim() },
      }),
    { stale: ['listParsers', 'getParser', 'getNames'], onDone: onClose },
  );
  return (
    <FormDialog
      title={`Name of ${parser.name}`}
      onClose={onClose}
      sent={change}
      submit="Save"
      isReady={name.trim() !== ''}
    >
      <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
      <TextInput
        label="Slug"
        description="Stands wherever the id can, such as /v1/scrape/products. Lower-case letters, digits and hyphens."
        placeholder="products"
        classNames={{ input: 'mono' }}
        {...form.getInputProps('slug')}
        error={faultAt(change.error, 'slug')}
      />
    </FormDialog>
  );
}
