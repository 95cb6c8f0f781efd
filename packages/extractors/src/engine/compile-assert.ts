import { isObject } from '@gleaner/contracts/values';
import type { Assert } from '@gleaner/contracts';
import { shortenText } from '@gleaner/contracts/text';
import type { Json } from '../json/jsonpath.ts';
import { RESULT_LIMITS } from '../limits.ts';
import { compilePattern } from '../transform/pattern.ts';
import type { CompiledAssert } from './types.ts';

type Check = (value: Json) => string | undefined;

function shown(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return shortenText(text, 57);
}

/** The number that `min` and `max` compare: of money the amount, of a rating its value. */
function sizeOf(value: Json): number | undefined {
  const size = isObject(value) ? (value['amount'] ?? value['value']) : value;
  return typeof size === 'number' ? size : undefined;
}

/** @throws ExpressionFault for a faulty pattern. */
function valueChecks({ min, max, pattern, enum: allowed }: Assert): Check[] {
  const checks: Check[] = [];
  if (min !== undefined) {
    checks.push((value) =>
      (sizeOf(value) ?? min) < min ? `${sizeOf(value)} is less than ${min}` : undefined,
    );
  }
  if (max !== undefined) {
    checks.push((value) =>
      (sizeOf(value) ?? max) > max ? `${sizeOf(value)} is greater than ${max}` : undefined,
    );
  }
  if (pattern !== undefined) {
    const compiled = compilePattern(pattern);
    checks.push((value) =>
      typeof value === 'string' && !compiled.matcher(value.slice(0, RESULT_LIMITS.patternSubject)).find()
        ? `${shown(value)} does not match ${pattern}`
        : undefined,
    );
  }
  if (allowed !== undefined) {
    const set = new Set<Json>(allowed);
    checks.push((value) => (set.has(value) ? undefined : `${shown(value)} is not one of the allowed values`));
  }
  return checks;
}

/** @throws ExpressionFault for a faulty pattern. */
export function compileAssert(assert: Assert = {}): CompiledAssert {
  const checks = valueChecks(assert);
  return {
    checkValue:
      checks.length === 0
        ? undefined
        : (value) => {
            for (const check of checks) {
              const reason = check(value);
              if (reason !== undefined) return reason;
            }
            return undefined;
          },
    minItems: assert.min_items,
    maxItems: assert.max_items,
    onFail: assert.on_fail ?? 'fail',
  };
}

export function countFault({ minItems, maxItems }: CompiledAssert, count: number): string | undefined {
  const has = `has ${count} ${count === 1 ? 'item' : 'items'}`;
  if (minItems !== undefined && count < minItems) return `${has}, fewer than ${minItems}`;
  if (maxItems !== undefined && count > maxItems) return `${has}, more than ${maxItems}`;
  return undefined;
}
