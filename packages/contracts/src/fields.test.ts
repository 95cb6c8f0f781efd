import { expect, it } from 'vitest';
import { timestampField } from './fields.ts';
import { describeIssue } from './text/index.ts';

it.each(['2026-01-31', '2026-01-31T06:30:00Z', '2026-01-31T06:30:00.000+01:00', 'yesterday'])(
  'shows how a time is written in place of %s',
  (text) => {
    const [issue] = timestampField.safeParse(text).error?.issues ?? [];
    expect(issue && describeIssue(issue, text).detail).toBe(
      `must be a time in UTC with milliseconds, like 2026-01-31T06:30:00.000Z, not "${text}"`,
    );
  },
);
