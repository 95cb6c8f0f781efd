/**
 * The id of the parser that every account has: any page as Markdown, with what it says of itself. A parser of an account
 * with this slug has precedence.
 */
export const PAGE_PARSER = 'page';

/** What it reads, in the order of its answer. */
export const PAGE_PARSER_FACTS = [
  'url',
  'title',
  'headline',
  'description',
  'language',
  'published',
  'modified',
  'author',
  'image',
  'markdown',
  'links',
] as const;
