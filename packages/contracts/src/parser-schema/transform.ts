import { z } from 'zod';
import { STEP_WORDS, type StepKey, type StepWord } from '../values/index.ts';
import { PARSER_SCHEMA_LIMITS as LIMITS } from './limits.ts';

const patternField = z.string().min(1).max(LIMITS.patternLength).describe('Regular expression, RE2 syntax.');
const textField = z.string().max(LIMITS.textLength);

const KEY_FORMS = {
  regex: '{"regex": "…"}',
  replace: '{"replace": ["…", "…"]}',
  split: '{"split": "…"}',
  join: '{"join": "…"}',
  slice: '{"slice": [0, 3]}',
  map: '{"map": {…}}',
  strip: '{"strip": "…"}',
  template: '{"template": "…{value}…"}',
} satisfies Record<StepKey, string>;

const WORD_EFFECTS = {
  trim: 'Removes white space at both ends.',
  collapse: 'Replaces each run of white space by one space, and trims.',
  lower: 'Lower case.',
  upper: 'Upper case.',
  unique: 'Removes duplicates from a list.',
} satisfies Record<StepWord, string>;

/** All forms, for error messages. */
export const TRANSFORM_FORMS = [...STEP_WORDS.map((word) => `"${word}"`), ...Object.values(KEY_FORMS)].join(
  ', ',
);

/** One step of `transform`: a word, or an object with exactly one instruction. */
export const transformStepSchema = z
  .union([
    ...STEP_WORDS.map((word) => z.literal(word).describe(WORD_EFFECTS[word])),
    z
      .strictObject({
        regex: patternField,
        group: z
          .union([z.int().min(0).max(50), z.string().min(1).max(100)])
          .optional()
          .describe('Number or name of the group to keep; default 1, or 0 when the pattern has none.'),
      })
      .describe('Keeps the first match; without a match the value is absent.'),
    z
      .strictObject({ replace: z.tuple([patternField, textField]) })
      .describe('[pattern, text]: replaces every match; $1 and $<name> insert groups.'),
    z
      .strictObject({ split: z.string().min(1).max(200) })
      .describe('Splits the text at this separator into a list.'),
    z.strictObject({ join: z.string().max(200) }).describe('Joins a list into one text.'),
    z
      .strictObject({ slice: z.union([z.tuple([z.int()]), z.tuple([z.int(), z.int()])]) })
      .describe('[from, to]: part of a text, or of a list; negative numbers count from the end.'),
    z
      .strictObject({
        map: z
          .record(textField, z.union([textField, z.number(), z.boolean(), z.null()]))
          .refine(
            (map) => Object.keys(map).length <= LIMITS.mapEntries,
            `has more than ${LIMITS.mapEntries} entries`,
          ),
      })
      .describe(
        'Replaces the text by its entry; "*" is the entry for all other texts, which otherwise stay unchanged. null makes the value absent.',
      ),
    z.strictObject({ strip: z.string().min(1).max(200) }).describe('Removes these characters at both ends.'),
    z
      .strictObject({
        template: textField.refine(
          (text) => text.includes('{value}'),
          'must contain {value}, which is replaced by the value',
        ),
      })
      .describe('Inserts the value into a text at {value}.'),
  ])
  .describe('One step of a transform.');

export type TransformStep = z.output<typeof transformStepSchema>;

export const transformSchema = z
  .array(transformStepSchema)
  .max(LIMITS.transformSteps)
  .describe(
    'Steps that change the raw text before it is converted to the type. Text is trimmed first, unless this is [].',
  );
