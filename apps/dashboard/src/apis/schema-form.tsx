import { cellText } from '../format/format.ts';
import { Checkbox, NumberInput, Select, TextInput } from '@mantine/core';

/** The parts of JSON Schema that the catalogue's inputs use. */
export interface InputProperty {
  type?: string;
  description?: string;
  enum?: unknown[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  anyOf?: InputProperty[];
}

export interface InputSchema {
  properties?: Record<string, InputProperty>;
  required?: string[];
}

export type FormValues = Record<string, unknown>;

interface SchemaFormProps {
  schema: InputSchema;
  values: FormValues;
  onChange: (values: FormValues) => void;
}

function typeOf(property: InputProperty): string | undefined {
  return property.type ?? property.anyOf?.map(({ type }) => type).find((type) => type !== undefined);
}

function optionsOf(property: InputProperty): unknown[] | undefined {
  return property.enum ?? property.anyOf?.find((branch) => branch.enum !== undefined)?.enum;
}

interface PropertyInputProps {
  name: string;
  property: InputProperty;
  isRequired: boolean;
  value: unknown;
  /** Undefined leaves the property out. */
  onChange: (value: unknown) => void;
}

function PropertyInput({ name, property, isRequired, value, onChange }: PropertyInputProps) {
  const { description, minimum, maximum } = property;
  const shared = {
    label: name,
    description,
    withAsterisk: isRequired,
    placeholder: property.default === undefined ? undefined : `default ${cellText(property.default)}`,
  };
  const type = typeOf(property);
  const options = optionsOf(property);
  if (options)
    return (
      <Select
        {...shared}
        data={options.map(String)}
        value={value === undefined ? null : cellText(value)}
        clearable
        onChange={(chosen) => onChange(options.find((option) => String(option) === chosen))}
      />
    );
  if (type === 'boolean')
    return (
      <Checkbox
        label={name}
        description={description}
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked ? true : undefined)}
      />
    );
  if (type === 'integer' || type === 'number')
    return (
      <NumberInput
        {...shared}
        allowDecimal={type === 'number'}
        min={minimum}
        max={maximum}
        value={typeof value === 'number' ? value : ''}
        onChange={(given) => onChange(given === '' ? undefined : Number(given))}
      />
    );
  return (
    <TextInput
      {...shared}
      value={typeof value === 'string' ? value : ''}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    />
  );
}

/** A form made from a JSON Schema: one input for each property. */
export function SchemaForm({ schema, values, onChange }: SchemaFormProps) {
  const set = (name: string, value: unknown): void => {
    const { [name]: _old, ...rest } = values;
    onChange(value === undefined ? rest : { ...rest, [name]: value });
  };
  return (
    <>
      {Object.entries(schema.properties ?? {}).map(([name, property]) => (
        <PropertyInput
          key={name}
          name={name}
          property={property}
          isRequired={schema.required?.includes(name) === true}
          value={values[name]}
          onChange={(value) => set(name, value)}
        />
      ))}
    </>
  );
}
