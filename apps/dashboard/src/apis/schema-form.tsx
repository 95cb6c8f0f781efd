import { cellText } from '../format/shorten.ts';
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

/** A form made from a JSON Schema: one input for each property. */
export function SchemaForm({ schema, values, onChange }: SchemaFormProps) {
  const required = new Set(schema.required);
  const set = (name: string, value: unknown): void => {
    const { [name]: _old, ...rest } = values;
    onChange(value === undefined || value === '' ? rest : { ...rest, [name]: value });
  };
  return (
    <>
      {Object.entries(schema.properties ?? {}).map(([name, property]) => {
        const shared = {
          label: name,
          description: property.description,
          withAsterisk: required.has(name),
          placeholder: property.default === undefined ? undefined : `default ${cellText(property.default)}`,
        };
        const type = typeOf(property);
        const options = optionsOf(property);
        if (options) {
          return (
            <Select
              key={name}
              {...shared}
              data={options.map(String)}
              value={values[name] === undefined ? null : cellText(values[name])}
              clearable
              onChange={(value) =>
                set(
                  name,
                  options.find((option) => String(option) === value),
                )
              }
            />
          );
        }
        if (type === 'boolean') {
          return (
            <Checkbox
              key={name}
              label={name}
              description={property.description}
              checked={values[name] === true}
              onChange={(event) => set(name, event.currentTarget.checked ? true : undefined)}
            />
          );
        }
        if (type === 'integer' || type === 'number') {
          return (
            <NumberInput
              key={name}
              {...shared}
              allowDecimal={type === 'number'}
              min={property.minimum}
              max={property.maximum}
              value={typeof values[name] === 'number' ? values[name] : ''}
              onChange={(value) => set(name, value === '' ? undefined : Number(value))}
            />
          );
        }
        return (
          <TextInput
            key={name}
            {...shared}
            value={typeof values[name] === 'string' ? values[name] : ''}
            onChange={(event) => set(name, event.currentTarget.value)}
          />
        );
      })}
    </>
  );
}
