type Json = Record<string, unknown>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function softenField(field: unknown): unknown {
  if (!isObject(field)) return field;
  const { required: _required, ...rest } = field;
  return {
    ...rest,
    ...(isObject(rest['assert']) ? { assert: { ...rest['assert'], on_fail: 'null' } } : {}),
    ...(isObject(rest['fields']) ? { fields: softenFields(rest['fields']) } : {}),
  };
}

function softenFields(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, softenField(field)]));
}

/**
 * The same schema, but nothing in it ends the extraction: an absent required field is null, like a broken assertion.
 * While a person makes fields, a failing field must not hide the others.
 */
export function soften(schema: { fields: Json }): { fields: Json } {
  return { fields: softenFields(schema.fields) };
}

/** Whether anything in it could end the extraction. */
export function isStrict(schema: { fields: Json }): boolean {
  return Object.values(schema.fields).some(
    (field) =>
      isObject(field) &&
      (field['required'] === true ||
        field['assert'] !== undefined ||
        field['type'] !== undefined ||
        (isObject(field['fields']) && isStrict({ fields: field['fields'] }))),
  );
}
