/** The notation of `sink.types`. */
const SINK_TYPE =
  /^(text|varchar\(\d{1,8}\)|char\(\d{1,8}\)|smallint|integer|bigint|numeric(\(\d{1,4}(, ?\d{1,4})?\))?|real|double precision|boolean|date|time(\(\d\))?|timestamp(tz)?(\(\d\))?|uuid|jsonb?|text\[\])$/;

/** A column's type: `numeric(10,2)` has the base `numeric`, the size 10 and the scale 2. */
interface TypeParts {
  base: string;
  /** Most characters; of `numeric` most digits, of times digits of the second's fraction. */
  size?: number | undefined;
  /** Digits after the point; below 0: zeros before it. */
  scale?: number | undefined;
}

const PARTS = /^([a-z]+(?: precision)?(?:\[\])?)(?:\((\d{1,8})(?:, ?(-?\d{1,4}))?\))?$/;

export function typeParts(type: string): TypeParts {
  const [, base = type, size, scale] = PARTS.exec(type) ?? [];
  return {
    base,
    size: size === undefined ? undefined : Number(size),
    scale: scale === undefined ? undefined : Number(scale),
  };
}

const MOST: Readonly<Record<string, number>> = { varchar: 10_485_760, char: 10_485_760, numeric: 1000 };
const MOST_FRACTION_DIGITS = 6;

/** Whether Postgres has the type of `sink.types`: its size and scale are within bounds. */
export function isSinkType(type: string): boolean {
  if (!SINK_TYPE.test(type)) return false;
  const { base, size, scale = 0 } = typeParts(type);
  if (size === undefined) return true;
  const most = MOST[base];
  return most === undefined ? size <= MOST_FRACTION_DIGITS : size >= 1 && size <= most && scale <= size;
}
